import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack, type AttackResult, nameOf } from './attack.ts';
import type { OpenApi } from './routes.ts';
import { AMBIGUOUS, HIDING, LAST, statusesOf } from './smuggling.ts';
import { HostileTarget } from './target.ts';

const SEED = Date.now() % 2 ** 31;
const REQUESTS = 2000;

let target: HostileTarget;
let result: AttackResult;
beforeAll(async () => {
  target = await HostileTarget.start();
  result = await attack(target, { requests: REQUESTS, seed: SEED });
});
afterAll(() => target.stop());

describe('hostile requests', () => {
  it('are answered with no error of the server, and with no secret', () => {
    expect(result.failure).toBeUndefined();
    expect(result.requests).toBeGreaterThanOrEqual(REQUESTS);
  });

  it('reach every route of the app', () => {
    expect([...result.routes.keys()].toSorted()).toEqual(target.routes.map(nameOf).toSorted());
  });

  it('are accepted where they are right: not all stop at the first check', () => {
    const ofPublic = target.routes.filter(({ listener }) => listener === 'public').map(nameOf);
    const refused = ofPublic.filter((name) => (result.routes.get(name) ?? 400) >= 400);
    // No merchant of the drill has a logo, and chance may miss another one or two.
    expect(refused.length, refused.join(', ')).toBeLessThan(5);
  });

  it('are sent to the pages of operator and merchant by people who are signed in', () => {
    // The others were wrong in a header, or had signed out.
    const { answers, signedIn } = result.pages;
    expect(signedIn / answers).toBeGreaterThan(1 / 3);
  });

  it('are made from all that /openapi.json describes', async () => {
    const { paths } = JSON.parse((await target.send('/openapi.json')).text) as OpenApi;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) =>
        nameOf({ listener: 'public', method: method.toUpperCase(), path }),
      ),
    );
    expect(target.routes.map(nameOf)).toEqual(expect.arrayContaining(described));
  });

  it('leave every object as it was', async () => {
    expect(await target.usage()).toMatchObject({ isPolluted: false });
  });
});

describe('a request that may hide another one', () => {
  it.each(Object.entries(AMBIGUOUS))('is refused: %s', async (_title, bytes) => {
    // The app may refuse a request by its head, before the server has read what is wrong in its body.
    expect([[400], [403, 400]]).toContainEqual(await statusesOf(target, bytes));
  });

  it.each(Object.entries(HIDING))('is answered once: %s', async (_title, bytes) => {
    const [first, ...others] = await statusesOf(target, bytes + LAST);
    expect(first).toBeLessThan(500);
    expect(others).toEqual([404]);
  });
});

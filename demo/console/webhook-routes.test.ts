import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  problemOf,
  startAnswering,
  startConsole,
  startSilent,
  type RunningConsole,
} from '../testing/running-console.js';
import type { AnswerView, CreatedWebhookView, KeptWebhooksView } from './console-view.js';

const PATH = '/api/webhooks';
const TEST = '/api/operations/webhooks.test';
const HOOK = { url: 'https://hooks.example/in', description: 'Ours', events: ['anything'] };
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

async function create(url = HOOK.url): Promise<CreatedWebhookView> {
  return (await partner.post(PATH, { ...HOOK, url })).body as CreatedWebhookView;
}

describe('a new webhook', () => {
  it('has its key in a file for the owner only, and in the one answer that shows it', async () => {
    const answer = await partner.post(PATH, HOOK);
    expect(answer.status).toBe(201);
    const { webhookId, keyFile } = answer.body as CreatedWebhookView;
    const key = readFileSync(keyFile, 'utf8').trim();
    expect(key.length).toBeGreaterThanOrEqual(32);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(answer.body).toMatchObject({ hmacKey: key });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const listed = await partner.get(PATH);
    const [kept] = (listed.body as KeptWebhooksView).kept;
    expect(kept).toEqual({ ...HOOK, webhookId, keyFile, createdAt: kept!.createdAt });
    expect(Date.parse(kept!.createdAt!)).not.toBeNaN();
    expect(listed.text).not.toContain(key);
    const files = readdirSync(partner.keyDirectory).map((name) => join(partner.keyDirectory, name));
    expect(files.map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o600]);
    const withKey = files.filter((name) => readFileSync(name, 'utf8').includes(key));
    expect(withKey).toEqual([keyFile]);
  });

  it('takes a key of one’s own, which no answer has', async () => {
    const own = 'a-key-of-our-own-4f1d9c2e';
    const answer = await partner.post(PATH, { ...HOOK, hmac_key: own });
    const { keyFile } = answer.body as CreatedWebhookView;
    expect(readFileSync(keyFile, 'utf8').trim()).toBe(own);
    for (const { text } of [answer, await partner.get(PATH)]) expect(text).not.toContain(own);
  });

  it.each([
    [{}, 'url'],
    [{ ...HOOK, url: 'hooks.example' }, 'url'],
    [{ ...HOOK, events: { any: 'thing' } }, 'events'],
    [{ ...HOOK, hmac_key: 'mine' }, 'hmac_key'],
  ])('is not made of %j: the wrong field is named, and no file is left', async (body, field) => {
    const answer = await partner.post(PATH, body);
    expect(problemOf(answer)).toMatchObject({ status: 400, errors: [{ field }] });
    expect(readdirSync(partner.keyDirectory)).toEqual([]);
    expect(partner.sandbox.control.requests()).toEqual([]);
  });

  it('whose answer is lost may exist: it is asked for once, and what to do is said', async () => {
    const fault = { operation: 'create-webhook', fault: 'drop-after-commit' } as const;
    partner.sandbox.control.addFault(fault);
    const problem = problemOf(await partner.post(PATH, HOOK));
    expect(problem).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(problem.title).toBe('Unknown: it may have happened.');
    expect(problem.next).toContain('removed before you create it again');
    expect(partner.sandbox.control.requests()).toHaveLength(1);
    expect(readdirSync(partner.keyDirectory)).toEqual([]);
  });

  it('is not asked for when its key could not be kept', async () => {
    const nowhere = await startConsole({
      env: { CONSOLE_KEY_DIRECTORY: '/dev/null/keys' },
    });
    const problem = problemOf(await nowhere.post(PATH, HOOK));
    expect(problem).toMatchObject({ code: 'no_key_file', outcome: 'not_sent' });
    expect(nowhere.sandbox.control.requests()).toEqual([]);
    await nowhere.close();
  });
});

describe('a webhook test', () => {
  it('reports what the endpoint answered, success or not', async () => {
    for (const [status, words] of [
      [200, 'thanks'],
      [503, 'not now'],
    ] as const) {
      const endpoint = await startAnswering(() => ({ status, body: words }));
      const { webhookId } = await create(endpoint.url);
      const answer = await partner.post(TEST, { webhookId });
      expect(answer.status).toBe(200);
      const { fields } = answer.body as AnswerView;
      expect(fields).toEqual({ status_code: String(status), response: words });
      await endpoint.close();
    }
  });

  it('of an endpoint that says nothing in time is an answer too', async () => {
    await partner.close();
    partner = await startConsole({ sandbox: { webhookTimeoutSeconds: 0.05 } });
    const silent = await startSilent();
    const { webhookId } = await create(silent.url);
    const answer = await partner.post(TEST, { webhookId });
    expect(answer.status).toBe(200);
    expect((answer.body as AnswerView).fields['response']).toContain('did not answer');
    await silent.close();
  });

  it('of an unknown webhook is reported at its field', async () => {
    const unknown = await partner.post(TEST, { webhookId: 'wh_nowhere' });
    expect(problemOf(unknown)).toMatchObject({ status: 404, errors: [{ field: 'webhookId' }] });
    const odd = await partner.post(TEST, { webhookId: 'wh', resellerId: 'me' });
    expect(problemOf(odd)).toMatchObject({ status: 400, errors: [{ field: 'resellerId' }] });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SignupLinkView } from '../../shared/console-view.js';
import { problemOf, startConsole, type RunningConsole } from '../testing/running-console.js';

const PATH = '/api/signup-links';
let partner: RunningConsole;

beforeEach(async () => {
  partner = await startConsole();
});

afterEach(async () => {
  await partner.close();
});

function validUntil(): string {
  const links = partner.sandbox.control.signupLinks();
  return links.find(({ merchantId }) => merchantId === 1001)!.validUntil;
}

describe('a signup link', () => {
  it('is valid again, in the provider’s own words', async () => {
    const before = validUntil();
    const answer = await partner.post(PATH, { merchantId: '1001' });
    const { message } = answer.body as SignupLinkView;
    expect(message).toContain('14');
    expect(validUntil() > before).toBe(true);
  });

  it('needs a merchant, and one that the provider knows', async () => {
    const nobody = await partner.post(PATH, {});
    expect(problemOf(nobody)).toMatchObject({ status: 400, errors: [{ field: 'merchantId' }] });
    const unknown = await partner.post(PATH, { merchantId: '9999' });
    expect(problemOf(unknown)).toMatchObject({ outcome: 'refused' });
  });

  it('is extended once when the answer is lost, and that is said to be unknown', async () => {
    const fault = { operation: 'merchant-association', fault: 'drop-after-commit' } as const;
    partner.sandbox.control.addFault(fault);
    const problem = problemOf(await partner.post(PATH, { merchantId: '1001' }));
    expect(problem).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(problem.next).toContain('try the link first');
    expect(partner.sandbox.control.requests()).toHaveLength(1);
  });
});

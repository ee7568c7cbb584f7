import { partnerApiContract } from '@pay-checkout/partner-api/openapi';
import { createSandbox } from '@pay-checkout/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skeletonOf, type OperationSkeleton } from './openapi-skeleton.js';

const sandbox = createSandbox({ apiKey: 'sandbox-key' });
let ofSandbox: OperationSkeleton[];
beforeAll(async () => {
  const { url } = await sandbox.listen();
  const response = await fetch(`${url}/openapi.json`);
  ofSandbox = skeletonOf((await response.json()) as Record<string, unknown>);
});
afterAll(() => sandbox.close());

const ofClient = skeletonOf(partnerApiContract);

describe('the client and the sandbox, which read the specification apart', () => {
  it('know the same eight operations', () => {
    const names = (skeletons: readonly OperationSkeleton[]): string[] =>
      skeletons.map(({ operation }) => operation);
    expect(names(ofClient)).toHaveLength(8);
    expect(names(ofSandbox)).toEqual(names(ofClient));
  });

  it.each(ofClient.map((skeleton) => [skeleton.operation, skeleton] as const))(
    'agree on every field and type of %s',
    (operation, skeleton) => {
      const other = ofSandbox.find((candidate) => candidate.operation === operation);
      expect(other?.request).toEqual(skeleton.request);
      expect(other?.reply).toEqual(skeleton.reply);
    },
  );
});

import { expect, it } from 'vitest';
import type { OperatorPackage } from '@pay-checkout/session-server/internals';
import * as operator from './index.js';

it('has what the session server calls of it, and nothing else', () => {
  const called: Record<keyof OperatorPackage, unknown> = operator satisfies OperatorPackage;
  expect(Object.keys(called).toSorted()).toEqual([
    ...['createDashboard', 'createOperator', 'runEvents', 'runExplain', 'runReport', 'runWebhooks'],
  ]);
});

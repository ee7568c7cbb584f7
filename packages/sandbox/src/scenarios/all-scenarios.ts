import { approved } from './approved.js';
import { challenged } from './challenged.js';
import { declined } from './declined.js';
import { expired } from './expired.js';
import { listedLate } from './listed-late.js';
import { neverReturns } from './never-returns.js';
import type { Scenario } from './scenario.js';
import { slow } from './slow.js';
import { webhookMissing } from './webhook-missing.js';
import { webhookTwice } from './webhook-twice.js';

/** Every story, in the order of the list of test cards. */
export const ALL_SCENARIOS: readonly Scenario[] = [
  approved,
  declined,
  challenged,
  listedLate,
  neverReturns,
  webhookTwice,
  webhookMissing,
  slow,
  expired,
];

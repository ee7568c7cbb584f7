import type { AnalyticsPartner, Merchant } from './accounts.js';
import { adversarialSwitches } from './faults/adversary.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios.js';
import { DEFAULT_SEED, type HistoryOptions } from './transactions/history.js';
import { makeWebhookPayload, type WebhookContent } from './webhook-payload.js';
import { SWITCH_NAMES, switchesSchema, type Switches, type SwitchesInput } from './switches.js';

/** The options of a sandbox: who calls it, where it is, and every switch of `switches.ts`. */
export interface SandboxOptions extends SwitchesInput {
  /** A value of the `api_key` header (spec 5.1); control calls add others. */
  readonly apiKey: string;
  /** Default: six invented ones of three resellers. */
  readonly merchants?: readonly Merchant[];
  /** The reseller of merchants without one, for the filter `resellerId`. Default 7001. */
  readonly resellerId?: number;
  /**
   * Address for browsers. Its host name may use the control routes, in addition to names of this machine. Default
   * none.
   */
  readonly publicUrl?: string;
  /** File that keeps the calls of the API across restarts. Default none. */
  readonly requestLog?: string;
  /**
   * ISO 8601 time at which the clock stands until a control call moves it. Identifiers and keys then
   * follow from the seed of `history`: the same requests give the same bytes. Default: it runs.
   */
  readonly fixedTime?: string;
  /**
   * Seed of a provider that is unkind and lawful, in the same way for the same seed: late rows, small pages, mixed
   * variants, unknown fields and values, long cursors, webhooks that come twice and out of order, slow answers.
   * Switches that are set stay as they are. Default none.
   */
  readonly adversarial?: string;
  /** Past transactions to start with. Default none. */
  readonly history?: HistoryOptions;

  /** Path prefix of the merchants interface (spec 4.3). Default `/merchants-sandbox`. */
  readonly merchantsPrefix?: string;
  /** Path prefix of the transfers interface (spec 4.4). Default none. */
  readonly transfersPrefix?: string;
  /** Whose analytics can be read. Default three invented partners. */
  readonly partners?: readonly AnalyticsPartner[];
  /** Makes the body of a webhook about a payment (not shown in section 6). */
  readonly webhookPayload?: (content: WebhookContent) => unknown;
  /** What each test card does. Default `SCENARIOS`. */
  readonly scenarios?: readonly Scenario[];
}

type FixedOptions = Omit<SandboxOptions, keyof Switches>;
/** Options without a default. */
type Unset = 'history' | 'adversarial' | 'publicUrl' | 'requestLog' | 'fixedTime';

/** The options with every default filled in. The switches among them can change at any time. */
export interface SandboxSettings extends Switches, Required<Omit<FixedOptions, Unset>> {
  /** Its seed changes with a reset. */
  history: HistoryOptions & { readonly seed: string };
  readonly publicUrl?: string;
  readonly requestLog?: string;
  readonly fixedTime?: string;
  readonly adversarial?: string;
}

const DEFAULTS: Omit<Required<FixedOptions>, 'apiKey' | Unset> = {
  merchants: [
    { id: 1001, name: 'Pebble & Fern', currency: 'GBP' },
    { id: 1002, name: 'Lanternfish Books', currency: 'EUR' },
    { id: 1003, name: 'Koyama Paper', currency: 'JPY' },
    { id: 1004, name: 'Saltmarsh Cycles', currency: 'GBP', resellerId: 7002 },
    { id: 1005, name: 'Atelier Brume', currency: 'EUR', resellerId: 7002 },
    { id: 1006, name: 'Dune Radio', currency: 'KWD', resellerId: 7003 },
  ],
  resellerId: 7001,
  merchantsPrefix: '/merchants-sandbox',
  transfersPrefix: '',
  partners: [
    { name: 'harbour-lane' },
    { name: 'quiet-harbour', isQuiet: true },
    { name: 'broken-harbour', success: false },
  ],
  webhookPayload: makeWebhookPayload,
  scenarios: SCENARIOS,
};

/** Fills in the defaults and refuses invalid options. */
export function completeSettings(options: SandboxOptions): SandboxSettings {
  if (options.apiKey === '') throw new TypeError('apiKey must not be empty.');
  const { history, adversarial } = options;
  const unkind: SwitchesInput = adversarial === undefined ? {} : adversarialSwitches(adversarial);
  const given = Object.fromEntries(
    SWITCH_NAMES.map((name) => [name, options[name] ?? unkind[name]]),
  );
  const settings = {
    ...DEFAULTS,
    ...options,
    ...switchesSchema.parse(given),
    history: { ...history, seed: history?.seed ?? DEFAULT_SEED },
  };
  if (Number.isNaN(Date.parse(options.fixedTime ?? '2026-01-01'))) {
    throw new TypeError('fixedTime must be an ISO 8601 time.');
  }
  for (const name of ['merchantsPrefix', 'transfersPrefix'] as const) {
    if (isPathPrefix(settings[name])) continue;
    throw new TypeError(`${name} must be empty, or like /merchants-sandbox, without a last slash.`);
  }
  return settings;
}

/** A path prefix is empty, or segments such as `/merchants-sandbox`. */
export function isPathPrefix(text: string): boolean {
  return /^(\/[A-Za-z0-9._~-]+)*$/.test(text);
}

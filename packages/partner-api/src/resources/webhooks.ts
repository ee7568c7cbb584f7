import { InvalidRequestError, KeyNotStoredError } from '../errors.js';
import { checkCreatedWebhook, checkWebhookTest } from '../generated/reply-checks.js';
import type { Caller } from '../http/caller.js';
import {
  checkFields,
  isAddress,
  isFilledText,
  isInteger,
  isListOf,
  isText,
  type FieldChecks,
} from '../http/check-fields.js';
import { hideSecrets } from '../http/hide-secrets.js';
import { OPERATIONS } from '../http/operation-facts.js';
import { expectObject, expectText, type CallOptions, type Operation } from '../http/operation.js';
import { Secret } from '../secret.js';

/** Request of spec 4.7. */
export interface CreateWebhookParams {
  url: string;
  description?: string | undefined;
  /** Names of events; the spec shows none. */
  events?: readonly string[] | undefined;
  /** Made by the provider when it is left out. */
  hmac_key?: string | Secret | undefined;
}

/** Stores a new key, durably, before its promise is fulfilled. */
export type StoreHmacKey = (hmacKey: Secret, webhookId: string) => void | Promise<void>;

/** Options of {@link Webhooks.create}. */
export interface CreateWebhookOptions extends CallOptions {
  /** Called once, with the only copy of the key that the provider ever gives in full. */
  readonly storeKey: StoreHmacKey;
}

/** Answer of spec 4.7. Fields that the spec does not list are kept. */
export interface CreatedWebhook {
  data: { webhook_id: string; hmac_key: Secret; [field: string]: unknown };
  [field: string]: unknown;
}

/** Request of spec 4.8. */
export interface TestWebhookParams {
  webhookId: string;
  resellerId?: number | undefined;
}

/**
 * Answer of spec 4.8: what the endpoint answered. A status that is no success, and a timeout after
 * 10 s, are answers too; how a timeout is written is not shown.
 */
export interface WebhookTest {
  data: { status_code?: number; response?: string; [field: string]: unknown };
  [field: string]: unknown;
}

const CREATE_CHECKS: FieldChecks<CreateWebhookParams> = {
  url: isAddress,
  description: isText,
  events: isListOf(isFilledText),
  hmac_key: isKey,
};

const TEST_CHECKS: FieldChecks<TestWebhookParams> = {
  webhookId: isFilledText,
  resellerId: isInteger,
};

/** The provider waits 10 s for an endpoint (spec 4.8), and then needs to tell us. */
const TEST_PATIENCE_SECONDS = 15;

interface CreatedBody {
  data: { webhook_id: string; hmac_key: string; [field: string]: unknown };
  [field: string]: unknown;
}

const CREATE: Operation<CreatedBody> = {
  ...OPERATIONS.createWebhook,
  readReply: readCreated,
  checkReply: checkCreatedWebhook,
  advice: {
    unknown:
      'A webhook may exist whose key nobody has. Look for its address at the provider and have it ' +
      'removed before you create it again; until then refuse deliveries that do not verify.',
  },
};

const TEST: Operation<WebhookTest> = {
  ...OPERATIONS.testWebhook,
  readReply: readTest,
  checkReply: checkWebhookTest,
  patienceSeconds: TEST_PATIENCE_SECONDS,
};

/** Webhook endpoints (spec 4.7, 4.8). Reading, changing and deleting them is not shown. */
export class Webhooks {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Creates a webhook and hands its key to `storeKey`, which has stored it before this resolves.
   * It is never repeated. When `storeKey` fails, the `KeyNotStoredError` still holds the key.
   */
  async create(
    params: CreateWebhookParams,
    { storeKey, ...options }: CreateWebhookOptions,
  ): Promise<CreatedWebhook> {
    const fields = checkFields(CREATE.name, params, CREATE_CHECKS, ['url']);
    if (typeof storeKey !== 'function') {
      const advice = 'must be a function that stores the key: it is given in full only once';
      throw new InvalidRequestError('storeKey', advice, CREATE.name);
    }
    const { hmac_key: given } = params;
    const secrets =
      given === undefined ? [] : [given instanceof Secret ? given : new Secret(given)];
    // Written as JSON, a Secret would be sent as "[secret]".
    if (secrets[0] !== undefined) fields['hmac_key'] = secrets[0].reveal();
    const { data, ...rest } = await this.#caller.call(CREATE, { fields, secrets }, options);
    const hmacKey = new Secret(data.hmac_key);
    await storeOrTell(storeKey, hmacKey, data.webhook_id);
    return { ...rest, data: { ...data, hmac_key: hmacKey } };
  }

  /** Has the provider send a test delivery. Never repeated; waits longer than the provider does. */
  async test(params: TestWebhookParams, options?: CallOptions): Promise<WebhookTest> {
    const fields = checkFields(TEST.name, params, TEST_CHECKS, ['webhookId']);
    return this.#caller.call(TEST, { fields }, options);
  }
}

async function storeOrTell(
  storeKey: StoreHmacKey,
  hmacKey: Secret,
  webhookId: string,
): Promise<void> {
  try {
    await storeKey(hmacKey, webhookId);
  } catch (error) {
    throw new KeyNotStoredError(
      `${CREATE.name}: the webhook was created, and storeKey failed. hmacKey of this error is the ` +
        'only copy of its key: store it now, do not create the webhook again.',
      {
        operation: CREATE.name,
        attempt: 1,
        outcome: 'unknown',
        cause: hideSecrets(error, [hmacKey]),
      },
      { webhookId, hmacKey },
    );
  }
}

function readCreated(body: unknown): CreatedBody {
  const reply = expectObject(body, 'body');
  const data = expectObject(reply['data'], 'data');
  expectText(data['webhook_id'], 'data.webhook_id');
  expectText(data['hmac_key'], 'data.hmac_key');
  return reply as CreatedBody;
}

function readTest(body: unknown): WebhookTest {
  const reply = expectObject(body, 'body');
  expectObject(reply['data'], 'data');
  return reply as WebhookTest;
}

function isKey(value: unknown): string | undefined {
  const text = value instanceof Secret ? value.reveal() : value;
  return isFilledText(text);
}

import * as z from 'zod';
import { InvalidRequestError, KeyNotStoredError } from '../errors.js';
import { type Call, type Caller, type NoteResponse, startCall } from '../http/request.js';
import { hideSecrets } from '../http/failure.js';
import type { CallOptions, Operation } from '../http/operation.js';
import {
  checkRequest,
  FIELDS_NOT_SHOWN,
  filledText,
  must,
  notShown,
  requestObject,
  text,
  webAddress,
  wholeNumber,
} from '../schemas.js';
import { Secret } from '../secret.js';
import { MIN_KEY_BYTES } from '../webhooks/signature.js';

const CreateRequest = requestObject({
  url: webAddress,
  description: text.optional(),
  events: z
    .array(filledText, must('must be a list (an array)'))
    .readonly()
    .optional()
    .meta(notShown('Names of the events.')),
  hmac_key: filledText
    .refine(
      (key) => new TextEncoder().encode(key).length >= MIN_KEY_BYTES,
      `must have ${MIN_KEY_BYTES} bytes or more: a shorter one can be guessed, and verifies nothing`,
    )
    .optional()
    .meta({ description: 'Optional; made by the provider when omitted.' }),
}).meta(FIELDS_NOT_SHOWN);

/** Request of spec 4.7. The provider makes the key when none is given. */
export interface CreateWebhookParams extends Omit<z.infer<typeof CreateRequest>, 'hmac_key'> {
  hmac_key?: string | Secret | undefined;
}

/** Stores a new key, durably, before its promise is fulfilled. */
export type StoreHmacKey = (hmacKey: Secret, webhookId: string) => void | Promise<void>;

/** Options of {@link Webhooks.create}. */
export interface CreateWebhookOptions extends CallOptions {
  /** Called once, with the only copy of the key that the provider ever gives in full. */
  readonly storeKey: StoreHmacKey;
}

const CreateReply = z.object({
  data: z.object({
    webhook_id: z.string().min(1),
    hmac_key: z.string().min(1).meta({ description: 'In full in this answer only.' }),
  }),
});

/** Answer of spec 4.7. Fields that the spec does not list are kept. */
export interface CreatedWebhook {
  data: { webhook_id: string; hmac_key: Secret };
}

const TestRequest = requestObject({
  webhookId: filledText,
  resellerId: wholeNumber.optional(),
}).meta(FIELDS_NOT_SHOWN);

/** Request of spec 4.8. */
export type TestWebhookParams = z.infer<typeof TestRequest>;

const TestReply = z.object({
  data: z.object({ status_code: z.int(), response: z.string() }).partial(),
});

/**
 * Answer of spec 4.8: what the endpoint answered. A status that is no success, and a timeout after
 * 10 s, are answers too; how a timeout is written is not shown.
 */
export type WebhookTest = z.infer<typeof TestReply>;

/** The provider waits 10 s for an endpoint (spec 4.8) before it answers us. */
const TEST_TIMEOUT_SECONDS = 15;

export const CREATE_WEBHOOK: Operation<typeof CreateReply> = {
  name: 'webhooks.create',
  summary: 'Create a webhook endpoint.',
  section: '4.7',
  method: 'POST',
  base: 'api',
  path: ['developer-service', 'webhooks', 'create'],
  key: 'apiKey',
  effect: 'once',
  request: CreateRequest,
  reply: CreateReply,
  notShown: ['How deliveries are signed, and in which header.', 'Payloads of real events.'],
  needs: ['data', 'data.webhook_id', 'data.hmac_key'],
  advice: {
    unknown:
      'A webhook may exist whose key was lost. Find its address at the provider and have it ' +
      'removed before you create it again; until then refuse deliveries that do not verify.',
  },
};

export const TEST_WEBHOOK: Operation<typeof TestReply> = {
  name: 'webhooks.test',
  summary: 'Send a test delivery and return what the endpoint answered.',
  section: '4.8',
  method: 'POST',
  base: 'api',
  path: ['developer-service', 'webhooks', 'test'],
  key: 'apiKey',
  effect: 'once',
  request: TestRequest,
  reply: TestReply,
  needs: ['data'],
  minTimeoutSeconds: TEST_TIMEOUT_SECONDS,
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
  create(params: CreateWebhookParams, options: CreateWebhookOptions): Call<CreatedWebhook> {
    return startCall((note) => this.#create(params, options, note));
  }

  /** Has the provider send a test delivery. Never repeated; waits longer than the provider does. */
  test(params: TestWebhookParams, options?: CallOptions): Call<WebhookTest> {
    return startCall(async (note) => {
      checkRequest(TEST_WEBHOOK.name, TestRequest, params);
      return this.#caller.call(TEST_WEBHOOK, { fields: params }, options, note);
    });
  }

  async #create(
    params: CreateWebhookParams,
    { storeKey, ...options }: Partial<CreateWebhookOptions> = {},
    note: NoteResponse,
  ): Promise<CreatedWebhook> {
    const given = params?.hmac_key;
    // Written as JSON, a Secret would be sent as "[secret]".
    const fields = given instanceof Secret ? { ...params, hmac_key: given.reveal() } : params;
    checkRequest(CREATE_WEBHOOK.name, CreateRequest, fields);
    if (typeof storeKey !== 'function') {
      const advice = 'must be a function that stores the key: it is given in full only once';
      throw new InvalidRequestError('storeKey', advice, CREATE_WEBHOOK.name);
    }
    const secrets =
      given === undefined ? [] : [given instanceof Secret ? given : new Secret(given)];
    const request = { fields, secrets };
    const { data, ...rest } = await this.#caller.call(CREATE_WEBHOOK, request, options, note);
    const hmacKey = new Secret(data.hmac_key);
    await storeOrThrow(storeKey, hmacKey, data.webhook_id);
    return { ...rest, data: { ...data, hmac_key: hmacKey } };
  }
}

async function storeOrThrow(
  storeKey: StoreHmacKey,
  hmacKey: Secret,
  webhookId: string,
): Promise<void> {
  try {
    await storeKey(hmacKey, webhookId);
  } catch (error) {
    throw new KeyNotStoredError(
      `${CREATE_WEBHOOK.name}: the webhook was created, and storeKey failed. hmacKey of this error is the ` +
        'only copy of its key: store it now, do not create the webhook again.',
      {
        operation: CREATE_WEBHOOK.name,
        attempt: 1,
        outcome: 'unknown',
        cause: hideSecrets(error, [hmacKey]),
      },
      { webhookId, hmacKey },
    );
  }
}

/** `/api/webhooks` and `/api/webhooks/test`: webhook endpoints (spec 4.7, 4.8). */
import { fieldText, isPartnerApiError, type PartnerClient } from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import type {
  CreatedWebhookView,
  KeptWebhooksView,
  WebhookTestView,
} from '../../shared/console-view.js';
import { ConsoleError, parseFields } from './console-error.js';
import type { KeyFolder } from './key-folder.js';
import { callProvider } from './provider-problem.js';
import { otherFields } from './provider-text.js';

const text = z.string('must be a text');
const createBody = z.strictObject({
  url: text,
  description: text.optional(),
  events: z.array(text.min(1, 'must be names'), 'must be a list of names').optional(),
});
const testBody = z.strictObject({
  webhookId: z.string('give the identifier that came when the webhook was created'),
  resellerId: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number such as 7001')
    .transform(Number)
    .optional(),
});

const CREATE_FACTS = {
  ifUnknown:
    'A webhook may exist whose key nobody has. Look for its address at the provider, and have it ' +
    'removed before you create it again.',
};
const TEST_FACTS = {
  namedBy: 'webhookId',
  ifUnknown:
    'A test may have reached the endpoint: look there. Testing again only sends one more test.',
};

/** The provider gives a key in full only once. It goes to a file before the answer goes out. */
export function webhookRoutes(client: PartnerClient, keys: KeyFolder): Router {
  const router = Router();

  router.get('/api/webhooks', async (_request, response) => {
    const reply: KeptWebhooksView = { kept: await keys.list() };
    response.json(reply);
  });

  router.post('/api/webhooks', async (request, response) => {
    const params = parseFields(createBody, request.body);
    const file = await keys.openFile().catch(() => {
      throw cannotKeepKeys();
    });
    let keyFile = '';
    // The file is closed before the answer goes out: whoever looks then finds it under one name.
    const created = await callProvider(CREATE_FACTS, () =>
      client.webhooks
        .create(params, {
          storeKey: async (key, webhookId) => {
            keyFile = await file.store(key, webhookId);
          },
        })
        .catch((error: unknown) => {
          throw isPartnerApiError(error) && error.name === 'KeyNotStoredError'
            ? keyIsLost()
            : error;
        }),
    ).finally(() => file.close());
    const { data } = created;
    const reply: CreatedWebhookView = {
      webhookId: data.webhook_id,
      keyFile,
      others: {
        ...otherFields(created, ['data']),
        ...otherFields(data, ['webhook_id', 'hmac_key']),
      },
    };
    response.status(201).json(reply);
  });

  router.post('/api/webhooks/test', async (request, response) => {
    const params = parseFields(testBody, request.body);
    const answer = await callProvider(TEST_FACTS, () => client.webhooks.test(params));
    const { data } = answer;
    const reply: WebhookTestView = {
      ...('status_code' in data && { statusCode: fieldText(data, 'status_code') }),
      ...('response' in data && { response: fieldText(data, 'response') }),
      others: {
        ...otherFields(answer, ['data']),
        ...otherFields(data, ['status_code', 'response']),
      },
    };
    response.json(reply);
  });

  return router;
}

function cannotKeepKeys(): ConsoleError {
  return new ConsoleError({
    status: 500,
    code: 'no_key_file',
    title: 'The key of a webhook could not be kept here.',
    detail: 'No file can be made in the folder for keys, so nothing was sent.',
    next: 'Have CONSOLE_KEY_DIRECTORY looked at: is the disk full, may the process write there?',
    outcome: 'not_sent',
  });
}

function keyIsLost(): ConsoleError {
  return new ConsoleError({
    status: 500,
    code: 'key_not_stored',
    title: 'The webhook was created, and its key is lost.',
    detail: 'The file for its key could not be written, and the provider gives it only once.',
    next: 'Have this webhook removed at the provider, make room on the disk, and create it again.',
    outcome: 'unknown',
  });
}

/** `/api/webhooks`: creates webhooks and keeps their keys (spec 4.7). */
import {
  isPartnerApiError,
  type CreatedWebhook,
  type CreateWebhookParams,
  type PartnerClient,
  type Secret,
} from '@pay-checkout/partner-api';
import { Router } from 'express';
import { ConsoleError } from './console-error.js';
import type { CreatedWebhookView, KeptWebhooksView } from './console-view.js';
import { readRequest } from './operation-fields.js';
import { callProvider, otherFields } from './provider-call.js';
import type { KeyFolder } from './key-folder.js';

const CREATE_FACTS = {
  ifUnknown:
    'A webhook may exist whose key is lost. Find its address at the provider, and have it ' +
    'removed before you create it again.',
};

/** The provider gives a key in full only once. It goes to a file before the answer goes out. */
export function webhookRoutes(client: PartnerClient, keys: KeyFolder): Router {
  const router = Router();

  router.get('/api/webhooks', async (_request, response) => {
    const reply: KeptWebhooksView = { kept: await keys.list() };
    response.json(reply);
  });

  router.post('/api/webhooks', async (request, response) => {
    const { hmac_key: ownKey, ...params } = readRequest(
      'webhooks.create',
      request.body,
    ) as unknown as CreateWebhookParams;
    const file = await keys.openFile().catch(() => {
      throw cannotKeepKeys();
    });
    let keyFile = '';
    let generated: Secret | undefined;
    // The file is closed before the answer goes out: from then on it has one name.
    let created: CreatedWebhook;
    try {
      created = await callProvider(CREATE_FACTS, () =>
        client.webhooks
          .create(
            { ...params, ...(ownKey !== undefined && { hmac_key: ownKey }) },
            {
              storeKey: async (key, webhookId) => {
                keyFile = await file.store(key, { webhookId, ...params });
                if (ownKey === undefined) generated = key;
              },
            },
          )
          .catch((error: unknown) => {
            throw isPartnerApiError(error) && error.name === 'KeyNotStoredError'
              ? keyIsLost()
              : error;
          }),
      );
    } finally {
      await file.close();
    }
    const { data } = created;
    const reply: CreatedWebhookView = {
      webhookId: data.webhook_id,
      keyFile,
      // The only answer with a key, and no cache keeps it. A person knows their own key.
      ...(generated !== undefined && { hmacKey: generated.reveal() }),
      others: {
        ...otherFields(created, ['data']),
        ...otherFields(data, ['webhook_id', 'hmac_key']),
      },
    };
    response.status(201).json(reply);
  });

  return router;
}

function cannotKeepKeys(): ConsoleError {
  return new ConsoleError({
    status: 500,
    code: 'no_key_file',
    title: 'The console cannot store the key of a webhook.',
    detail: 'It cannot create a file in the folder for keys, so nothing was sent.',
    next: 'Check CONSOLE_KEY_DIRECTORY: is the disk full, or the folder read-only?',
    outcome: 'not_sent',
  });
}

function keyIsLost(): ConsoleError {
  return new ConsoleError({
    status: 500,
    code: 'key_not_stored',
    title: 'The webhook was created, but its key is lost.',
    detail: 'The file for its key could not be written, and the provider gives it only once.',
    next: 'Have this webhook removed at the provider, free some space on the disk, and create it again.',
    outcome: 'unknown',
  });
}

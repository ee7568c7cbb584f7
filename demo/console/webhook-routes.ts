/** `/api/webhooks` and `/api/webhooks/test`: webhook endpoints (spec 4.7, 4.8). */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fieldText,
  isPartnerApiError,
  type PartnerClient,
  type Secret,
} from '@pay-checkout/partner-api';
import { Router } from 'express';
import { z } from 'zod';
import { ConsoleError, parseFields } from './console-error.js';
import type {
  CreatedWebhookView,
  KeptWebhooksView,
  WebhookTestView,
  KeptWebhook,
} from './console-view.js';
import { callProvider, otherFields } from './provider-call.js';

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
    'A webhook may exist whose key is lost. Find its address at the provider, and have it ' +
    'removed before you create it again.',
};
const TEST_FACTS = {
  namedBy: 'webhookId',
  ifUnknown:
    'A test may have reached the endpoint: check there. Testing again only sends one more test.',
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
    // The file is closed before the answer goes out: from then on it has one name.
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

const ONLY_OWNER = 0o600;
const NAME = /^webhook-(.+)\.key$/;

/** A file that takes one key. It is there before anything is sent: a full disk is known in time. */
export interface KeyFile {
  /** Writes the key durably and gives the file the name of its webhook. Answers where it is. */
  store(key: Secret, webhookId: string): Promise<string>;
  /** Closes it, and removes it when it holds no key. */
  close(): Promise<void>;
}

/** The keys of webhooks: a file for each, readable by its owner only, never overwritten. */
export class KeyFolder {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async openFile(): Promise<KeyFile> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, `new-${randomUUID()}.key`);
    const file = await open(path, 'wx', ONLY_OWNER);
    let isWritten = false;
    let isNamed = false;
    return {
      store: async (key, webhookId) => {
        await file.writeFile(`${key.reveal()}\n`);
        await file.sync();
        isWritten = true;
        const named = join(this.#directory, fileNameOf(webhookId));
        // A name that is taken stays with the key that has it; this one keeps its first name.
        isNamed = await link(path, named).then(
          () => true,
          () => false,
        );
        await syncFolder(this.#directory);
        return isNamed ? named : path;
      },
      close: async () => {
        await file.close();
        if (isNamed || !isWritten) await rm(path, { force: true });
      },
    };
  }

  /** The webhooks whose keys are here. */
  async list(): Promise<readonly KeptWebhook[]> {
    const names = await readdir(this.#directory).catch(() => []);
    return names.sort().flatMap((name) => {
      const id = NAME.exec(name)?.[1];
      if (id === undefined) return [];
      return [{ webhookId: decodeURIComponent(id), keyFile: join(this.#directory, name) }];
    });
  }
}

function fileNameOf(webhookId: string): string {
  return `webhook-${encodeURIComponent(webhookId)}.key`;
}

/** Makes a new name durable. Windows cannot open a folder, and needs no such step. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder: FileHandle = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

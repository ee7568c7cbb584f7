/** The keys of webhooks: a file for each, with the details of its webhook next to it. */
import { randomUUID } from 'node:crypto';
import {
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateWebhookParams, Secret } from '@pay-checkout/partner-api';
import { z } from 'zod';
import type { KeptWebhook } from './console-view.js';

/** A webhook that this console has created, without its key. */
interface CreatedHere extends Omit<CreateWebhookParams, 'hmac_key'> {
  readonly webhookId: string;
}

const ONLY_OWNER = 0o600;
const NAME = /^webhook-(.+)\.key$/;

/** A file that takes one key. It is there before anything is sent: a full disk is known in time. */
export interface KeyFile {
  /** Writes the key durably and gives the file the name of its webhook. Answers where it is. */
  store(key: Secret, webhook: CreatedHere): Promise<string>;
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
      store: async (key, { webhookId, ...words }) => {
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
        // What the list says of it; the key counts without it.
        const record = { ...words, createdAt: new Date().toISOString() };
        await writeFile(recordOf(named), JSON.stringify(record), { mode: ONLY_OWNER }).catch(
          () => undefined,
        );
        return isNamed ? named : path;
      },
      close: async () => {
        await file.close();
        if (isNamed || !isWritten) await rm(path, { force: true });
      },
    };
  }

  /** The webhooks whose keys are here, the newest first. */
  async list(): Promise<readonly KeptWebhook[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const kept = names.flatMap((name) => {
      const id = NAME.exec(name)?.[1];
      if (id === undefined) return [];
      return [{ webhookId: decodeURIComponent(id), keyFile: join(this.#directory, name) }];
    });
    const known = await Promise.all(
      kept.map(async (webhook) => ({ ...webhook, ...(await readRecord(webhook.keyFile)) })),
    );
    return known.sort((one, other) => ((one.createdAt ?? '') < (other.createdAt ?? '') ? 1 : -1));
  }
}

const record = z
  .object({
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()),
    createdAt: z.string(),
  })
  .partial();

/** A key whose record is lost is still one of a webhook. */
async function readRecord(keyFile: string): Promise<z.output<typeof record>> {
  try {
    return record.parse(JSON.parse(await readFile(recordOf(keyFile), 'utf8')));
  } catch {
    return {};
  }
}

function recordOf(keyFile: string): string {
  return keyFile.replace(/\.key$/, '.json');
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

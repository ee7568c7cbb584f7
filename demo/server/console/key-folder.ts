/** The folder of webhook keys: a file for each, readable by its owner only, never overwritten. */
import { link, mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { Secret } from '@pay-checkout/partner-api';
import type { KeptWebhook } from '../../shared/console-view.js';

const ONLY_OWNER = 0o600;
const NAME = /^webhook-(.+)\.key$/;

/** A file that takes one key. It is there before anything is sent: a full disk is known in time. */
export interface KeyFile {
  /** Writes the key durably and gives the file the name of its webhook. Answers where it is. */
  store(key: Secret, webhookId: string): Promise<string>;
  /** Closes it, and removes it when it holds no key. */
  close(): Promise<void>;
}

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

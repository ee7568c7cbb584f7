import { emitKeypressEvents, type Key } from 'node:readline';

import { Secret } from '../secret.js';
import { InterruptedError, throwIfInterrupted, UsageError } from './exit-codes.js';
import { readInput, type Stdin } from './files.js';
import type { GlobalOptions } from './options.js';
import type { Profile } from './profiles.js';
import type { Terminal } from './terminal.js';

/** A key, and in words where it came from. */
export interface FoundKey {
  readonly key: Secret;
  readonly from: string;
}

/** Where a key may come from. */
export interface KeySources extends Stdin {
  readonly options: GlobalOptions;
  readonly profile: Profile;
  readonly env: NodeJS.ProcessEnv;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };
  readonly terminal: Terminal;
}

/** Finds the API key: file, argument (with a warning), environment, profile, hidden question. */
export async function readApiKey(sources: KeySources): Promise<FoundKey> {
  const { terminal } = sources;
  const found = await findKey(sources);
  if (found === undefined) {
    throw new UsageError(
      'There is no API key. Set PAY_PARTNER_API_KEY, or give --api-key-file <file>, or store one ' +
        'with: pay-partner profiles set <name> --store-key',
    );
  }
  terminal.hide(found.key);
  return found;
}

/** Reads a key from a file, `-` for stdin, without the line break at its end. */
export async function readKeyFile(file: string, from: Stdin): Promise<Secret> {
  const text = await readInput(file, from);
  const key = text.replace(/\r?\n$/, '');
  if (key === '') throw new UsageError(`${file} holds no key: it is empty.`);
  return new Secret(key);
}

/** Asks for a key on the terminal; `undefined` where there is no terminal. */
export async function askForKey({
  stdin,
  stderr,
  signal,
}: Pick<KeySources, 'stdin' | 'stderr' | 'signal'>): Promise<Secret | undefined> {
  if (!stdin.isTTY || stderr.isTTY !== true) return undefined;
  const typed = await askHidden('API key (it is not shown): ', stdin, stderr, signal);
  return typed === undefined || typed === '' ? undefined : new Secret(typed);
}

async function findKey(sources: KeySources): Promise<FoundKey | undefined> {
  const { options, profile, env, terminal } = sources;
  if (options.apiKeyFile !== undefined) {
    return { key: await readKeyFile(options.apiKeyFile, sources), from: '--api-key-file' };
  }
  if (options.apiKey !== undefined) {
    terminal.warn(
      'Warning: --api-key shows the key to all users of this machine, and to the history of the ' +
        'shell. Use PAY_PARTNER_API_KEY or --api-key-file.',
    );
    return { key: new Secret(options.apiKey), from: '--api-key' };
  }
  const inEnv = env['PAY_PARTNER_API_KEY'];
  if (inEnv !== undefined && inEnv !== '') {
    return { key: new Secret(inEnv), from: 'PAY_PARTNER_API_KEY' };
  }
  if (profile.apiKeyFile !== undefined) {
    return {
      key: await readKeyFile(profile.apiKeyFile, sources),
      from: 'apiKeyFile of the profile',
    };
  }
  if (profile.apiKey !== undefined) return { key: new Secret(profile.apiKey), from: 'the profile' };
  const asked = await askForKey(sources);
  return asked === undefined ? undefined : { key: asked, from: 'the question' };
}

/**
 * Asks for a text on a terminal without showing it. `undefined` when it is given up by Ctrl-D. The
 * signal ends it, and the terminal shows again what is typed.
 */
export async function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  throwIfInterrupted(signal);
  return new Promise((resolve, reject) => {
    let typed = '';
    const stop = (): void => end(() => reject(new InterruptedError()));
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      input.off('keypress', onKey);
      input.setRawMode(false);
      input.pause();
      output.write('\n');
      settle();
    };
    const onKey = (text: string | undefined, { name, ctrl = false }: Key): void => {
      if (ctrl && name === 'c') return stop();
      if (ctrl && name === 'd') return end(() => resolve(undefined));
      if (name === 'return' || name === 'enter') return end(() => resolve(typed));
      if (name === 'backspace') typed = typed.slice(0, -1);
      else if (text !== undefined && !ctrl) typed += text;
    };
    output.write(question);
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on('keypress', onKey);
    signal.addEventListener('abort', stop, { once: true });
    input.resume();
  });
}

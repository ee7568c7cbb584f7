import type { Command } from 'commander';

import { PartnerClient } from '../client.js';
import { Secret } from '../secret.js';
import { EXIT } from './exit-codes.js';
import { type FoundKey, readApiKey, readKeyFile } from './keys.js';
import type { GlobalOptions } from './options.js';
import { type Connection, readConnection } from './profiles.js';
import { type OutputStream, Terminal } from './terminal.js';

/** The environment of a run of `pay-partner`: streams, variables, and a signal to stop. */
export interface CliContext {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A client, and the settings that it was made from. */
export interface OpenClient {
  readonly client: PartnerClient;
  readonly connection: Connection;
  readonly apiKey: FoundKey;
}

/** One run of `pay-partner`: what commands share. */
export class Cli {
  readonly context: CliContext;
  readonly terminal: Terminal;
  exitCode: number = EXIT.ok;
  /** What {@link open} made, for a message that names key or address. */
  opened: OpenClient | undefined;
  readonly #endings: (() => void)[] = [];

  constructor(context: CliContext) {
    this.context = context;
    this.terminal = new Terminal(context, context.env);
  }

  /** Makes the client that the options, the environment and the profile describe. */
  async open(command: Command): Promise<OpenClient> {
    const options = command.optsWithGlobals<GlobalOptions>();
    const { env, stdin, stderr, signal } = this.context;
    const connection = await readConnection(options, env);
    const { profile, addresses } = connection;
    const sources = { options, profile, env, stdin, stderr, signal, terminal: this.terminal };
    const apiKey = await readApiKey(sources);
    const transfersApiKey = await this.#readTransfersKey(options, connection);
    const client = new PartnerClient({
      ...addresses,
      apiKey: apiKey.key,
      transfersApiKey,
      timeoutSeconds: options.timeout,
      maxRetries: options.retries,
      validation: options.validation,
      userAgent: 'pay-partner',
      logger: {
        warn: (message) => this.terminal.warn(`Warning: ${message}.`),
        info: (message) => this.terminal.note(message),
        ...(options.verbose === true && { debug: (message) => this.terminal.warn(message) }),
      },
    });
    this.onClose(() => client.close());
    this.opened = { client, connection, apiKey };
    return this.opened;
  }

  /** Reads a key of a webhook, and sees to it that it is never written. */
  async readHidden(file: string): Promise<Secret> {
    const key = await readKeyFile(file, this.context);
    this.terminal.hide(key);
    return key;
  }

  onClose(ending: () => void): void {
    this.#endings.push(ending);
  }

  /** Ends connections, so that the process can end. */
  close(): void {
    for (const ending of this.#endings.splice(0)) ending();
  }

  async #readTransfersKey(
    options: GlobalOptions,
    { profile }: Connection,
  ): Promise<Secret | undefined> {
    const file = options.transfersApiKeyFile ?? profile.transfersApiKeyFile;
    const inEnv = this.context.env['PAY_PARTNER_TRANSFERS_API_KEY'] || undefined;
    if (file !== undefined) return this.readHidden(file);
    if (inEnv === undefined) return undefined;
    const key = new Secret(inEnv);
    this.terminal.hide(key);
    return key;
  }
}

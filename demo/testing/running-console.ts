/** A partner console on a port of its own, in front of a real sandbox, and a person who uses it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as startRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox, type SandboxOptions } from '@pay-checkout/sandbox';
import { createConsole } from '../console/app.js';
import { readConsoleConfig } from '../console/config.js';
import type { ConsoleProblem } from '../console/console-view.js';

/** Where it turns up in an answer or a log, something has leaked. */
export const API_KEY = 'canary-4f1d9c2e77aa53';

/** Good settings, as an environment. */
export const GOOD_CONSOLE_ENV = {
  CONSOLE_PORT: '0',
  CONSOLE_PUBLIC_URL: 'http://partner.localhost:4400',
  CONSOLE_PARTNER_API_URL: 'http://127.0.0.1:4300',
  CONSOLE_MERCHANTS_API_URL: 'http://127.0.0.1:4300/merchants-sandbox',
  CONSOLE_TRANSFERS_API_URL: 'http://127.0.0.1:4300',
  CONSOLE_PARTNER_API_KEY: API_KEY,
  CONSOLE_KEY_DIRECTORY: 'keys',
  CONSOLE_KNOWN:
    '{"partners":["harbour-lane"],"merchants":[{"id":1001,"name":"Pebble & Fern"}],"reportSchedules":["sch_1001_daily"]}',
} as const;

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface RunningConsole {
  readonly address: string;
  readonly sandbox: Sandbox;
  readonly providerUrl: string;
  /** Where the keys of webhooks are kept. */
  readonly keyDirectory: string;
  /** Everything that was answered so far, headers included. */
  readonly answers: readonly ConsoleAnswer[];
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ConsoleAnswer>;
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ConsoleAnswer>;
  /** Asks under any name of the host. Answers the status. */
  askAs(host: string, path: string): Promise<number>;
  close(): Promise<void>;
}

export interface RunningConsoleOptions {
  readonly sandbox?: Partial<SandboxOptions>;
  /** Another provider than the sandbox. */
  readonly providerUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly siteDirectory?: string;
  /** With the sandbox's page to pay a session. Default false. */
  readonly hasPayPage?: boolean;
}

export async function startConsole(options: RunningConsoleOptions = {}): Promise<RunningConsole> {
  const sandbox = createSandbox({ apiKey: API_KEY, ...options.sandbox });
  const listening = await sandbox.listen();
  const provider = options.providerUrl ?? listening.url;
  const keyDirectory = mkdtempSync(join(tmpdir(), 'console-keys-'));
  const config = readConsoleConfig({
    ...GOOD_CONSOLE_ENV,
    CONSOLE_PARTNER_API_URL: provider,
    CONSOLE_MERCHANTS_API_URL: `${provider}/merchants-sandbox`,
    CONSOLE_TRANSFERS_API_URL: provider,
    ...(options.hasPayPage && { CONSOLE_PAY_PAGE_URL: `${provider}/pages/pay/{session}` }),
    CONSOLE_KEY_DIRECTORY: keyDirectory,
    ...options.env,
  });
  const { siteDirectory } = options;
  const app = createConsole({
    config,
    ...(siteDirectory !== undefined && { siteDirectory }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const answers: ConsoleAnswer[] = [];

  const ask = async (path: string, init: RequestInit): Promise<ConsoleAnswer> => {
    const response = await fetch(address + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    const answer = { status: response.status, headers: response.headers, text, body };
    answers.push(answer);
    return answer;
  };

  return {
    address,
    sandbox,
    providerUrl: provider,
    keyDirectory,
    answers,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    askAs: (host, path) =>
      new Promise((resolve, reject) => {
        const asked = startRequest(address + path, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.once('error', reject);
        asked.end();
      }),
    async close() {
      await closeServer(server);
      await sandbox.close();
      rmSync(keyDirectory, { recursive: true, force: true });
    },
  };
}

/** The problem that an answer is. */
export function problemOf({ body }: ConsoleAnswer): ConsoleProblem {
  return body as ConsoleProblem;
}

/** A server that answers every call alike. */
export async function startAnswering(
  answer: (keyThatCame: string) => { status: number; body: string },
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    const { status, body } = answer(String(request.headers['api_key'] ?? ''));
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

/** A server that takes every call and answers none. */
export async function startSilent(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request) => request.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

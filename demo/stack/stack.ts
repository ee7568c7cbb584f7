/** Sandbox, session server, both shops and partner console as real processes, joined together. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { StackChild } from './child-process.js';
import { lockDataFolder } from './data-folder.js';
import { MERCHANT, ROASTERY } from './merchants.js';
import { writeMerchantsFile } from './merchants-file.js';
import { findFreePort, type PortChoice } from './ports.js';
import { readStackSecrets, type StackSecrets } from './secrets.js';
import {
  DEFAULT_DATA_DIRECTORY,
  addressesOf,
  PORT_NAMES,
  perPort,
  consoleEnv,
  sandboxEnv,
  sessionServerEnv,
  shopEnv,
  type PortName,
  type ProcessEnv,
  type ProcessName,
  type StackAddresses,
} from './settings.js';

export type { ProcessName, StackAddresses } from './settings.js';

export const DEFAULT_PORTS: Readonly<Record<PortName, number>> = {
  shop: 4100,
  'session-server': 4200,
  sandbox: 4300,
  console: 4400,
  operator: 4500,
  dashboard: 4600,
  roastery: 4700,
};

export interface StackOptions {
  /** Where databases, secrets and the merchants file are kept. Default: `demo/data`. */
  readonly dataDirectory?: string;
  /** Wanted ports; if one is taken, the next free one is used, and 0 means any free one. */
  readonly ports?: Partial<Record<PortName, number>>;
  /** Also the second shop, the partner console, and a past at the sandbox for it to show. Default false. */
  readonly isWhole?: boolean;
  /** More environment for a process, for example `PAY_LOG_LEVEL`. */
  readonly env?: Partial<Record<ProcessName, ProcessEnv>>;
  /** Other programs than the packages' own. */
  readonly programs?: Partial<Record<ProcessName, string>>;
  /** Called for each line that a running process prints. Default: nothing is shown. */
  readonly onLine?: (name: ProcessName, line: string) => void;
  /** Called once, after everything was stopped, when a process ends unexpectedly. */
  readonly onDeath?: (reason: string) => void;
}

/** The running stack. */
export interface Stack {
  readonly addresses: StackAddresses;
  readonly ports: Readonly<Record<PortName, PortChoice>>;
  readonly merchant: string;
  readonly secrets: StackSecrets;
  readonly dataDirectory: string;
  /** The process that runs under this name now. */
  readonly child: (name: ProcessName) => ChildProcess;
  /** Ends one process (by default at once, as a crash would) and leaves it down. */
  readonly kill: (name: ProcessName, signal?: NodeJS.Signals) => Promise<void>;
  /** Ends one process if it runs, and starts it again on the same port, with more environment. */
  readonly restart: (name: ProcessName, env?: ProcessEnv) => Promise<void>;
  /** Ends everything. May be called twice. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the processes and resolves when all of them listen; after a failure nothing is left. Refuses a
 * data folder that another stack has, before anything in it is changed.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dataDirectory = options.dataDirectory ?? DEFAULT_DATA_DIRECTORY;
  const { isWhole = false } = options;
  const ports = await choosePorts({ ...DEFAULT_PORTS, ...options.ports });
  const unlock = lockDataFolder(dataDirectory);
  const secrets = readStackSecrets(dataDirectory);
  const addresses = addressesOf(perPort((name) => ports[name].port));
  const envs = new Map<ProcessName, ProcessEnv>();
  const children = new Map<ProcessName, StackChild>();
  let stopping: Promise<void> | undefined;

  const stop = (): Promise<void> => {
    stopping ??= Promise.all([...children.values()].map((child) => child.end())).then(() => {
      children.clear();
      unlock();
    });
    return stopping;
  };

  const start = async (name: ProcessName, env: ProcessEnv = {}): Promise<void> => {
    if (stopping !== undefined) throw new Error('The stack is stopped.');
    const child = new StackChild({
      name,
      env: { ...envs.get(name), ...options.env?.[name], ...env },
      program: options.programs?.[name],
      onLine: (source, line) => options.onLine?.(source, line),
      onDeath: (_source, reason) => {
        if (stopping !== undefined) return;
        void stop().then(() => options.onDeath?.(reason));
      },
    });
    children.set(name, child);
    await child.waitUntilListening();
  };

  const childOf = (name: ProcessName): StackChild => {
    const child = children.get(name);
    if (child === undefined) throw new Error(`The ${name} does not run.`);
    return child;
  };

  try {
    envs.set('sandbox', sandboxEnv(addresses, secrets, isWhole));
    await start('sandbox');
    const merchants = join(dataDirectory, 'merchants.json');
    writeMerchantsFile({ file: merchants, addresses, secrets });
    const database = join(dataDirectory, 'session-server.sqlite');
    envs.set('session-server', sessionServerEnv(addresses, secrets, { database, merchants }));
    for (const [name, file] of [
      ['shop', 'shop'],
      ['roastery', ROASTERY],
    ] as const) {
      const orders = join(dataDirectory, `${file}.sqlite`);
      envs.set(name, shopEnv(name, addresses, secrets, orders));
    }
    envs.set('console', consoleEnv(addresses, secrets, join(dataDirectory, 'webhook-keys')));
    await Promise.all([
      start('session-server'),
      start('shop'),
      ...(isWhole ? [start('roastery'), start('console')] : []),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    addresses,
    ports,
    merchant: MERCHANT,
    secrets,
    dataDirectory,
    child: (name) => childOf(name).process,
    kill: (name, signal = 'SIGKILL') => childOf(name).end(signal),
    restart: async (name, env) => {
      await childOf(name).end();
      await start(name, env);
    },
    stop,
  };
}

async function choosePorts(
  wanted: Readonly<Record<PortName, number>>,
): Promise<Record<PortName, PortChoice>> {
  const chosen = new Map<PortName, PortChoice>();
  for (const name of PORT_NAMES) {
    const taken = new Set([...chosen.values()].map(({ port }) => port));
    chosen.set(name, await findFreePort(wanted[name], taken));
  }
  return Object.fromEntries(chosen) as Record<PortName, PortChoice>;
}

/** The processes behind `npm start` and behind the journey tests. */

import { spawn } from 'node:child_process';

import type { Cli } from './cli.js';
import { UsageError } from './exit-codes.js';

/** What opens an address with the person's browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // Not `start`: its shell would read each `&` of the address as the end of a command.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Prints the address of a page of the partner console, and opens it where a person reads along.
 *
 * @throws {UsageError} without `PAY_PARTNER_CONSOLE_URL`
 */
export function openConsole(
  { context, terminal }: Cli,
  path: string,
  query: Readonly<Record<string, unknown>>,
): void {
  const console = context.env['PAY_PARTNER_CONSOLE_URL'] ?? '';
  if (!/^https?:$/.test(URL.canParse(console) ? new URL(console).protocol : '')) {
    throw new UsageError(
      '--web needs the address of the partner console. Set PAY_PARTNER_CONSOLE_URL, such as https://partner.example.',
    );
  }
  const url = new URL(path, console);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  terminal.print(url.href);
  if (!terminal.isRead) return;
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  // Where there is no browser, the address has been printed.
  spawn(command, [...args, url.href], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

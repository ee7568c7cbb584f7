import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';

import type { Secret } from '../../secret.js';
import { WEBHOOK_SCHEMES, type WebhookScheme } from '../../webhooks/scheme.js';
import {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookRefusal,
} from '../../webhooks/signature.js';
import { type SolvedWebhookSchemes, solveWebhookScheme } from '../../webhooks/solve-scheme.js';
import type { Cli } from '../cli.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { readExistingFile, replacePrivateFile, runOnFile } from '../files.js';
import type { GlobalOptions } from '../options.js';

interface SolveOptions extends GlobalOptions {
  readonly delivery: string;
  readonly keyFile: string;
  readonly url?: string;
  readonly save?: string;
}

const HELP = `
Works offline. The delivery is JSON {"headers": {…}, "body": "the raw text", "url": "…"} (or
bodyBase64), or the raw HTTP request. It tries headers, encodings, algorithms and templates. Run it
once and keep the scheme.

Examples:
  $ pay-partner webhooks solve --delivery captured.http --key-file hook.key --save scheme.json`;

/** `webhooks solve`: how deliveries are signed, from one captured delivery and its key. */
export function addSolveCommand(group: Command, cli: Cli): void {
  group
    .command('solve')
    .description('find out how a captured delivery was signed, offline')
    .requiredOption('--delivery <file>', 'the captured delivery')
    .requiredOption('--key-file <file>', 'its key')
    .option('--url <url>', 'address that it was sent to, for schemes that sign it')
    .option('--save <file>', 'write the first scheme found')
    .addHelpText('after', HELP)
    .action((_options: SolveOptions, command: Command) => solve(cli, command));
}

async function solve(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<SolveOptions>();
  const { url } = options;
  const delivery = {
    ...(await readDelivery(options.delivery)),
    ...(url === undefined ? {} : { url }),
  };
  const key = await cli.readHidden(options.keyFile);
  const { schemes, tried, trimmed } = await solveEitherWay(delivery, key);
  const { terminal } = cli;
  if (options.json === true) terminal.printJson({ schemes, tried });
  const [first] = schemes;
  if (first === undefined) {
    cli.exitCode = EXIT.refused;
    return terminal.warn(
      `None of ${tried} schemes verifies it. Is the body raw, byte for byte? Is it the key of this ` +
        'webhook? Are all headers there?',
    );
  }
  if (options.json !== true)
    terminal.print(...schemes.map((scheme) => JSON.stringify(scheme, null, 2)));
  terminal.note(`${schemes.length} of ${tried} schemes verify it; the first is the likeliest.`);
  if (trimmed) terminal.note('The line break at the end of the captured body was left out.');
  if (options.save !== undefined) {
    await replacePrivateFile(options.save, `${JSON.stringify(first, null, 2)}\n`);
  }
}

/** Editors and shells add a line break to the body that they save. */
async function solveEitherWay(
  delivery: WebhookDelivery,
  key: Secret,
): Promise<SolvedWebhookSchemes & { trimmed: boolean }> {
  const solved = await solveWebhookScheme(delivery, key);
  const body = Buffer.from(delivery.body);
  if (solved.schemes.length > 0 || body.at(-1) !== 0x0a) return { ...solved, trimmed: false };
  const end = body.at(-2) === 0x0d ? -2 : -1;
  const again = await solveWebhookScheme({ ...delivery, body: body.subarray(0, end) }, key);
  return { ...again, tried: solved.tried + again.tried, trimmed: true };
}

interface VerifyOptions extends GlobalOptions {
  readonly delivery: string;
  readonly keyFile: readonly string[];
  readonly scheme: string;
  readonly url?: string;
  readonly anyAge?: true;
}

const EXAMPLES = `
Examples:
  $ pay-partner webhooks verify --delivery captured.http --key-file hook.key --scheme scheme.json
  $ pay-partner webhooks verify --delivery d.json --key-file hook.key --scheme standardWebhooks --any-age`;

/** What to do about each reason. */
export const REFUSAL_WORDS: Readonly<Record<WebhookRefusal, string>> = {
  missing_signature: 'the header of the signature is missing, or has another prefix',
  missing_id: 'the header of the id is missing',
  missing_timestamp: 'the header of the timestamp is missing',
  missing_url: 'the scheme signs the address: give --url',
  bad_timestamp: 'the timestamp is not written as the scheme says',
  too_old: 'the timestamp is too old; --any-age checks the signature only',
  too_new: 'the timestamp is in the future: compare the clocks',
  body_not_raw: 'the body is not raw',
  no_key: 'no key counts now',
  bad_key: 'the key is not written as keyEncoding says',
  key_too_short: 'the key has fewer than 16 bytes once decoded: is keyEncoding right?',
  no_match: 'no key made this signature over this body',
};

/** `webhooks verify`: whether a captured delivery was signed with a key. */
export function addVerifyCommand(group: Command, cli: Cli): void {
  group
    .command('verify')
    .description('verify a captured delivery, offline')
    .requiredOption('--delivery <file>', 'the captured delivery, as for solve')
    .requiredOption(
      '--key-file <file>',
      'a key; may be repeated',
      (file: string, before: readonly string[]) => [...before, file],
      [],
    )
    .requiredOption('--scheme <name|file>', 'a preset, or a JSON file')
    .option('--url <url>', 'address that it was sent to, for schemes that sign it')
    .option('--any-age', 'do not check its age')
    .addHelpText('after', EXAMPLES)
    .action((_options: VerifyOptions, command: Command) => verify(cli, command));
}

async function verify(cli: Cli, command: Command): Promise<void> {
  const options = command.optsWithGlobals<VerifyOptions>();
  const delivery = await readDelivery(options.delivery);
  const { url = delivery.url } = options;
  const scheme = await readScheme(options.scheme);
  const keys = [];
  for (const file of options.keyFile) keys.push({ key: await cli.readHidden(file), id: file });
  const result = await verifyWebhook(
    options.anyAge === true ? { ...scheme, toleranceSeconds: 'off' } : scheme,
    keys,
    { ...delivery, ...(url === undefined ? {} : { url }) },
  );
  const { terminal } = cli;
  if (!result.valid) cli.exitCode = EXIT.refused;
  if (options.json === true) return terminal.printJson(result);
  if (result.valid) terminal.print(`valid, signed with ${result.keyId ?? 'the key'}`);
  else terminal.print(`not valid: ${result.reason} (${REFUSAL_WORDS[result.reason]})`);
}

/**
 * Reads a captured delivery: JSON `{headers, body | bodyBase64, url?}`, or an HTTP request as it
 * came over the line, whose bytes are kept as they are.
 */
export async function readDelivery(file: string): Promise<WebhookDelivery> {
  const bytes = await runOnFile(`read ${file}`, () => readFile(file));
  const isJson = bytes.subarray(0, 200).toString('latin1').trimStart().startsWith('{');
  return isJson ? fromJson(bytes.toString('utf8'), file) : fromRequest(bytes, file);
}

function fromJson(text: string, file: string): WebhookDelivery {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} is not valid JSON.`);
  }
  const { headers, body, bodyBase64, url } = read as Record<string, unknown>;
  const hasHeaders = typeof headers === 'object' && headers !== null;
  const content =
    typeof bodyBase64 === 'string' ? new Uint8Array(Buffer.from(bodyBase64, 'base64')) : body;
  if (!hasHeaders || !(typeof content === 'string' || content instanceof Uint8Array)) {
    throw new UsageError(
      `${file} must hold headers, and the raw body as text in body or in bodyBase64.`,
    );
  }
  return {
    headers: headers as WebhookDelivery['headers'],
    body: content,
    ...(typeof url === 'string' ? { url } : {}),
  };
}

function fromRequest(bytes: Buffer, file: string): WebhookDelivery {
  const text = bytes.toString('latin1');
  const gap = /\r?\n\r?\n/.exec(text);
  const [first = '', ...lines] = text.slice(0, gap?.index ?? 0).split(/\r?\n/);
  if (gap === null || !/^POST \S+ HTTP\/1\.[01]$/.test(first)) {
    throw new UsageError(
      `${file} is neither JSON with headers and body, nor a request that begins with POST … HTTP/1.1.`,
    );
  }
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  return { headers, body: new Uint8Array(bytes.subarray(gap.index + gap[0].length)) };
}

const NEEDED = ['header', 'algorithm', 'keyEncoding', 'signatureEncoding', 'template'] as const;

/** A scheme by the name of a preset, or from a JSON file such as `webhooks solve --save` writes. */
export async function readScheme(nameOrFile: string): Promise<WebhookScheme> {
  if (Object.hasOwn(WEBHOOK_SCHEMES, nameOrFile)) {
    return WEBHOOK_SCHEMES[nameOrFile as keyof typeof WEBHOOK_SCHEMES];
  }
  if (!/[./\\]/.test(nameOrFile)) {
    const names = Object.keys(WEBHOOK_SCHEMES).join(', ');
    throw new UsageError(`There is no scheme ${nameOrFile}. Give one of ${names}, or a JSON file.`);
  }
  const text = await readExistingFile(nameOrFile);
  const scheme = parse(text);
  const missing = NEEDED.find((field) => typeof scheme?.[field] !== 'string');
  if (scheme !== undefined && missing === undefined) return scheme as unknown as WebhookScheme;
  throw new UsageError(`${nameOrFile} is no scheme: ${missing ?? 'an object'} is missing.`);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

import { Option, type Command } from 'commander';

import { parseCount, parseSeconds } from './parse-option.js';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly config?: string;
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly merchantsBaseUrl?: string;
  readonly transfersBaseUrl?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly transfersApiKeyFile?: string;
  readonly timeout?: number;
  readonly retries?: number;
  readonly validation?: 'off' | 'warn' | 'strict';
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly showBody?: true;
}

export function addGlobalOptions(program: Command): void {
  program
    .option('-p, --profile <name>', 'settings to use (else PAY_PARTNER_PROFILE, else the default)')
    .option('--config <file>', 'file of the profiles (else PAY_PARTNER_CONFIG, else the XDG path)')
    .option('--base-url <url>', 'address of the API (else PAY_PARTNER_BASE_URL)')
    .addOption(
      new Option(
        '--environment <name>',
        'which world it is (else PAY_PARTNER_ENVIRONMENT)',
      ).choices(['sandbox', 'production']),
    )
    .option(
      '--merchants-base-url <url>',
      'address of the merchants interface, with its path prefix (else PAY_PARTNER_MERCHANTS_BASE_URL)',
    )
    .option(
      '--transfers-base-url <url>',
      'address of scheduled transfers (else PAY_PARTNER_TRANSFERS_BASE_URL; in the sandbox the host of the API)',
    )
    .option(
      '--api-key-file <file>',
      'file that holds the API key, - for stdin (else PAY_PARTNER_API_KEY, else the profile, else a hidden question)',
    )
    .option('--api-key <key>', 'the key itself; other users can see it in the list of processes')
    .option(
      '--transfers-api-key-file <file>',
      'key to send with scheduled transfers (default: none is sent, as the provider shows it)',
    )
    .option('--timeout <seconds>', 'limit of a whole call (default 30)', parseSeconds)
    .option('--retries <count>', 'repetitions where that is safe (default 2)', parseCount)
    .addOption(
      new Option(
        '--validation <how>',
        'how answers are compared with the document (default warn)',
      ).choices(['off', 'warn', 'strict']),
    )
    .option('--json', 'one JSON document, or one JSON line a row, on stdout; all else on stderr')
    .option('-q, --quiet', 'only errors and warnings on stderr')
    .option('-v, --verbose', 'tell every attempt on stderr: no bodies, no keys')
    .option('--show-body', 'show the body of an error answer on stderr; it may hold personal data');
}

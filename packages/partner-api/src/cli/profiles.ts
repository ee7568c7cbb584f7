import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

import type { PartnerClientOptions } from '../client.js';
import type { Environment } from '../http/addresses.js';
import { UsageError } from './exit-codes.js';
import { isOpenToOthers, readFileIfAny, replacePrivateFile } from './files.js';
import type { GlobalOptions } from './options.js';

/** Settings of the provider as the options, the environment and a profile give them, in that order. */
export interface Connection {
  readonly configPath: string;
  readonly profileName: string | undefined;
  readonly profile: Profile;
  readonly addresses: Pick<
    PartnerClientOptions,
    'baseUrl' | 'environment' | 'merchantsBaseUrl' | 'transfersBaseUrl'
  >;
}

export async function readConnection(
  options: GlobalOptions,
  env: NodeJS.ProcessEnv,
): Promise<Connection> {
  const configPath = configPathOf(options, env);
  const file = await readNamedProfiles(options, env);
  const named = options.profile ?? (env['PAY_PARTNER_PROFILE'] || undefined);
  const profileName = named ?? file.defaultProfile;
  const profile = profileName === undefined ? {} : profileOf(file, profileName);
  if (profile === undefined) {
    const names = Object.keys(file.profiles).join(', ') || 'none';
    throw new UsageError(
      `There is no profile ${profileName} in ${configPath} (there are: ${names}).`,
    );
  }
  const pick = (
    field: 'baseUrl' | 'environment' | 'merchantsBaseUrl' | 'transfersBaseUrl',
    variable: string,
  ): string | undefined => options[field] ?? (env[variable] || undefined) ?? profile[field];
  const baseUrl = pick('baseUrl', 'PAY_PARTNER_BASE_URL');
  if (baseUrl === undefined) {
    throw new UsageError(
      'There is no address of the API. Set PAY_PARTNER_BASE_URL, or give --base-url, or store it ' +
        'with: pay-partner profiles set <name> --base-url <url>',
    );
  }
  return {
    configPath,
    profileName,
    profile,
    addresses: {
      baseUrl,
      environment: pick('environment', 'PAY_PARTNER_ENVIRONMENT') as Environment | undefined,
      merchantsBaseUrl: pick('merchantsBaseUrl', 'PAY_PARTNER_MERCHANTS_BASE_URL'),
      transfersBaseUrl: pick('transfersBaseUrl', 'PAY_PARTNER_TRANSFERS_BASE_URL'),
    },
  };
}

export function configPathOf(options: GlobalOptions, env: NodeJS.ProcessEnv): string {
  return options.config ?? (env['PAY_PARTNER_CONFIG'] || profilePath(env));
}

/** Reads the profiles; a file that was named must be there. */
export async function readNamedProfiles(
  options: GlobalOptions,
  env: NodeJS.ProcessEnv,
): Promise<ProfileFile> {
  const path = configPathOf(options, env);
  const isNamed = options.config !== undefined || Boolean(env['PAY_PARTNER_CONFIG']);
  if (isNamed && (await readFileIfAny(path)) === undefined) {
    const from = options.config === undefined ? 'PAY_PARTNER_CONFIG' : '--config';
    throw new UsageError(
      `${from}: there is no file ${path}. Make it with: pay-partner profiles set`,
    );
  }
  return readProfiles(path);
}

/** Settings of one account at the provider, under a name. */
export interface Profile {
  readonly baseUrl?: string;
  readonly environment?: string;
  readonly merchantsBaseUrl?: string;
  readonly transfersBaseUrl?: string;
  /** Where the key is; `apiKey` holds the key itself. */
  readonly apiKeyFile?: string;
  readonly apiKey?: string;
  readonly transfersApiKeyFile?: string;
}

/** The whole file. */
export interface ProfileFile {
  readonly defaultProfile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const text = z.string('must be a text').optional();
const Fields = {
  baseUrl: text,
  environment: text,
  merchantsBaseUrl: text,
  transfersBaseUrl: text,
  apiKeyFile: text,
  apiKey: text,
  transfersApiKeyFile: text,
} satisfies Record<keyof Profile, z.ZodType>;
const ProfileObject = z.strictObject(Fields, {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? `is unknown; there are ${Object.keys(Fields).join(', ')}`
      : 'must be an object',
});
const FileObject = z.looseObject(
  {
    defaultProfile: text,
    profiles: z.record(z.string(), ProfileObject, 'must be an object').optional(),
  },
  'must hold an object',
);

/** `$XDG_CONFIG_HOME/pay-partner/config.json`, by default below `~/.config`. */
export function profilePath(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(base, 'pay-partner', 'config.json');
}

/** The profile of a name. What every object has, such as `constructor`, is none. */
export function profileOf({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Reads the file; none is the same as an empty one. One that holds a key must be private. */
export async function readProfiles(path: string): Promise<ProfileFile> {
  const text = await readFileIfAny(path);
  if (text === undefined) return { profiles: {} };
  const file = parse(text, path);
  const hasKey = Object.values(file.profiles).some(({ apiKey }) => apiKey !== undefined);
  if (hasKey && (await isOpenToOthers(path))) {
    throw new UsageError(`${path} holds a key and others may read it. Run: chmod 600 '${path}'`);
  }
  return file;
}

export async function writeProfiles(path: string, file: ProfileFile): Promise<void> {
  await replacePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
}

function parse(text: string, path: string): ProfileFile {
  const bad = (what: string): never => {
    throw new UsageError(`${path}: ${what}. Correct the file, or remove it.`);
  };
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return bad('is not valid JSON');
  }
  const issue = FileObject.safeParse(read).error?.issues[0];
  if (issue === undefined) return { profiles: {}, ...(read as Partial<ProfileFile>) };
  const place = [...issue.path, ...(issue.code === 'unrecognized_keys' ? issue.keys : [])];
  return bad(`${place.join('.')} ${issue.message}`.trimStart());
}

import type { PartnerClientOptions } from '../../http/client-settings.js';
import type { Environment } from '../../http/addresses.js';
import { UsageError } from '../exit-codes.js';
import type { GlobalOptions } from './global-options.js';
import { profileOf, profilePath, readProfiles, type Profile } from './profile-file.js';

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
  const file = await readProfiles(configPath);
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

import { type Config, readSecretSetting, type SecretSetting } from './config.js';
import type { Logger } from './logger.js';
import { stampOf } from './secret-files.js';

const WATCH_INTERVAL_MS = 1000;

/** What takes the text of a setting, which is valid. */
export type SecretTakers = Readonly<Record<SecretSetting, (text: string) => void>>;

/**
 * Reads the settings that come from files again when a file changes, so that secrets are rotated without
 * a restart. A bad file keeps the value from before in force, and the log says why.
 */
export function watchSecretSettings(
  files: Config['secretFiles'],
  takers: SecretTakers,
  logger: Logger,
): { close(): void } {
  const watched = Object.entries(files).map(([name, path]) => {
    const setting = name as SecretSetting;
    let stamp = stampOf([path]);
    const read = (): boolean => {
      const found = readSecretSetting(setting, path);
      if ('text' in found) takers[setting](found.text);
      else logger.error(found, 'a secret was refused; the one read before stays in force');
      return 'text' in found;
    };
    // It may have changed since the settings were read.
    read();
    return () => {
      const now = stampOf([path]);
      if (now === stamp) return;
      stamp = now;
      if (read()) logger.info({ setting }, 'a secret was read again');
    };
  });
  const timer = setInterval(() => {
    for (const check of watched) check();
  }, WATCH_INTERVAL_MS).unref();
  return {
    close: () => {
      clearInterval(timer);
    },
  };
}

import { type Config, readSecretSetting, type SecretSetting } from './config.js';
import { ConfigError } from './errors.js';
import { describeError, type Logger } from './logger.js';
import { stampOf } from './secret-files.js';

const WATCH_INTERVAL_MS = 1000;

/** Handlers of the well-formed text of a setting; one refuses it with a ConfigError. */
export type SecretHandlers = Readonly<
  Record<SecretSetting, (text: string) => Promise<void> | void>
>;

/**
 * Reads the settings that come from files again when a file changes, so that secrets are rotated without
 * a restart. A bad file keeps the value from before in force, and the log says why.
 */
export function watchSecretSettings(
  files: Config['secretFiles'],
  handlers: SecretHandlers,
  logger: Logger,
): { close(): void } {
  /** Returns what is wrong with it. */
  const take = async (setting: SecretSetting, text: string): Promise<string | undefined> => {
    try {
      await handlers[setting](text);
      return undefined;
    } catch (error) {
      if (error instanceof ConfigError) return error.mistakes.join('; ');
      throw error;
    }
  };
  const watched = Object.entries(files).map(([name, path]) => {
    const setting = name as SecretSetting;
    let stamp = stampOf([path]);
    let isReading = false;
    const read = async (): Promise<boolean> => {
      const found = readSecretSetting(setting, path);
      const mistake = 'text' in found ? await take(setting, found.text) : found.mistake;
      if (mistake === undefined) return true;
      logger.error(
        { setting, mistake },
        'a secret was refused; the one read before stays in force',
      );
      return false;
    };
    const check = async (isFirst: boolean): Promise<void> => {
      const now = stampOf([path]);
      if (isReading || (now === stamp && !isFirst)) return;
      isReading = true;
      try {
        if ((await read()) && !isFirst) logger.info({ setting }, 'a secret was read again');
        stamp = now;
      } catch (error) {
        // The database, which has to know the key, is unavailable: try again.
        stamp = '';
        logger.warn(
          { setting, ...describeError(error) },
          'a secret could not be checked; it is tried again',
        );
      }
      isReading = false;
    };
    // It may have changed since the settings were read.
    void check(true);
    return () => void check(false);
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

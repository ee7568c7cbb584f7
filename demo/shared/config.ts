/** Reads a process's settings from its environment, once, and names every mistake at the same time. */
import { z } from 'zod';

/** Settings that cannot be used. The message lists each one and what to do, never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    process: string,
    readonly mistakes: readonly string[],
  ) {
    super(`The ${process} cannot start:\n${mistakes.map((line) => `  - ${line}`).join('\n')}`);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The checked settings of a process. Throws a {@link ConfigError}. */
export function readSettings<Schema extends z.ZodType>(
  process: string,
  schema: Schema,
  env: Environment,
): z.output<Schema> {
  const result = schema.safeParse(env);
  if (result.success) return result.data;
  throw new ConfigError(
    process,
    result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`),
  );
}

/** A port to listen on; 0 takes any free one. */
export function portSetting(usual: string) {
  return z
    .string()
    .default(usual)
    .refine(isPort, 'must be a port: a whole number from 0 (any free one) to 65535')
    .transform(Number);
}

/** A web address, without its last slashes. */
export function urlSetting(example: string) {
  return z
    .string({ error: `is missing: give an address such as ${example}` })
    .refine(isHttpUrl, 'must be an http or https address without a query')
    .transform((text) => text.replace(/\/+$/, ''));
}

/** JSON of a shape. `usual` is its value when it is not set. */
export function jsonSetting<Schema extends z.ZodType>(
  usual: string,
  example: string,
  schema: Schema,
) {
  return z
    .string()
    .default(usual)
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: `must be JSON such as ${example}` });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

/** Checks of environment settings that every process of ours has. */
import { z } from 'zod';

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

export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

import { fetchLabels } from '../flow/session-api.js';
import { en, type Labels } from './en.js';

/** Any of the texts: those that are missing stay as they are. */
export type LabelChanges = {
  readonly [Name in keyof Labels]?: Labels[Name] extends string
    ? Labels[Name] | undefined
    : Partial<Labels[Name]> | undefined;
};

/** English in place of another language: an Arabic page stays laid out from right to left. */
const standIn: Labels = { ...en, dir: '' };

/** By server and language. */
const loads = new Map<string, Promise<unknown>>();
const loaded = new Map<string, Labels>();

/**
 * The texts in `language`, which the session server at `server` may have. English stands in for them until
 * they are there, then `onLoaded` runs: no payment waits for words. After a failure the next call tries again.
 */
export function labelsIn(server: string, language: string, onLoaded: () => void): Labels {
  if (/^en\b/i.test(language)) return en;
  const key = `${server} ${language}`;
  if (server && language && !loaded.has(key)) {
    const load =
      loads.get(key) ??
      fetchLabels(server, language).then((found) => {
        loaded.set(key, mergeLabels(standIn, found));
      });
    loads.set(key, load);
    load.then(onLoaded, () => loads.delete(key));
  }
  return loaded.get(key) ?? standIn;
}

export function mergeLabels<Texts>(texts: Texts, changes: LabelChanges | null | undefined): Texts {
  const merged = { ...texts } as Record<string, unknown>;
  for (const [name, text] of Object.entries(changes ?? {})) {
    const isGroup = Object(text) === text;
    merged[name] = isGroup
      ? mergeLabels(merged[name], text as LabelChanges)
      : (text ?? merged[name]);
  }
  return merged as Texts;
}

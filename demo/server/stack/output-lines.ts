/** Turns what a process prints into lines for a person; a JSON log line becomes its message. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';

const logLine = z.object({
  level: z.union([z.number(), z.string()]).optional(),
  msg: z.string(),
  code: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/** Calls back for each line of the stream that says something, and tells if it was a log line. */
export function readOutputLines(
  stream: Readable,
  onLine: (line: string, isLog: boolean) => void,
): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() !== '') onLine(toPlainLine(line), line.startsWith('{'));
  });
}

/** `{"level":50,"msg":"…","err":{"message":"…"}}` → `…: …`. Other lines stay as they are. */
export function toPlainLine(line: string): string {
  if (!line.startsWith('{')) return line;
  const entry = logLine.safeParse(parseJson(line));
  if (!entry.success) return line;
  const { msg, code, err } = entry.data;
  const cause = err === undefined || err.message === msg ? '' : `: ${err.message}`;
  return `${msg}${cause}${code === undefined ? '' : ` (${code})`}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

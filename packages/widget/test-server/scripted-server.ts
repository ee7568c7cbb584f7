import type { IncomingMessage } from 'node:http';
import type { Script, SeenRequest } from './script.ts';

/** A session server whose answers a test sets, and the client SDK that it describes. */
export class ScriptedServer {
  readonly seen: SeenRequest[] = [];
  readonly script: Script = {};
  #changed = Promise.withResolvers<void>();

  set(script: Script): void {
    Object.assign(this.script, script);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Settles when the script satisfies `condition`, or `milliseconds` are over. */
  async until(condition: () => boolean, milliseconds: number): Promise<void> {
    const over = new Promise<'over'>((resolve) =>
      setTimeout(resolve, milliseconds, 'over').unref(),
    );
    while (!condition()) {
      if ((await Promise.race([this.#changed.promise, over])) === 'over') return;
    }
  }

  takeFault(kind: 'open' | 'status' | 'sdk' | 'hints'): boolean {
    const left = this.script.faults?.[kind] ?? 0;
    if (left === 0) return false;
    this.script.faults = { ...this.script.faults, [kind]: left - 1 };
    return true;
  }
}

/** The whole body of a request, as JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

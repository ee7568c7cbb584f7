import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { loadScript } from './script-loader.js';
import type { SdkAdapter, SdkHandle, SdkOpenOptions } from './sdk-adapter.js';

interface Configurable {
  configure(argument: unknown, options?: unknown): unknown;
}

/** The client SDK that a server's `SdkDescription` describes: a script, a global, `configure()`. */
export class ScriptSdk implements SdkAdapter {
  readonly #sdk: SdkDescription;
  readonly #nonce: string | undefined;

  constructor(sdk: SdkDescription, nonce?: string) {
    this.#sdk = sdk;
    this.#nonce = nonce;
  }

  async load(signal: AbortSignal): Promise<void> {
    const { url, integrity } = this.#sdk;
    const isThere = (): boolean => this.#find() !== undefined;
    if (!isThere()) await loadScript({ url, integrity, nonce: this.#nonce, isThere });
    signal.throwIfAborted();
  }

  /** Calls `configure()` with the `session_id` (spec 2.4); all else is as described (an assumption). */
  async open({ sessionId, container, report }: SdkOpenOptions): Promise<SdkHandle | void> {
    const { construct, argument, container: where, callbacks = {} } = this.#sdk;
    const extras: Record<string, unknown> = {};
    if (where) extras.container = where === 'selector' ? `#${container.id}` : container;
    for (const [name, kind] of Object.entries(callbacks)) extras[name] = () => report(kind);
    const found = this.#find() as Configurable & (new () => Configurable);
    const sdk: Configurable = construct ? new found() : found;
    const answer: unknown = await (argument === 'object'
      ? sdk.configure({ session_id: sessionId, ...extras })
      : sdk.configure(sessionId, ...(Object.keys(extras).length ? [extras] : [])));
    return typeof answer === 'object' && answer ? answer : undefined;
  }

  /** The object at the dotted path from `window`, if its script has run. */
  #find(): unknown {
    let found: unknown = globalThis;
    for (const name of this.#sdk.global.split('.')) {
      found = (found as Record<string, unknown> | null | undefined)?.[name];
    }
    return found ?? undefined;
  }
}

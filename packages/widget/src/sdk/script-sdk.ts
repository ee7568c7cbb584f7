import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { CodedError } from '../coded-error.js';
import { loadScript } from './script-loader.js';
import type { SdkAdapter } from './sdk-adapter.js';

/** Whatever a script leaves or `configure()` answers: anything may be in it. */
interface Found {
  readonly [name: string]: Found | undefined;
  (...given: unknown[]): unknown;
}

interface Configurable {
  configure(argument: unknown, options?: unknown): unknown;
}

/** The client SDK that a server's `SdkDescription` describes: a script, a global, `configure()`. */
export function scriptSdk(sdk: SdkDescription, nonce: string | undefined): SdkAdapter {
  const { url, global, integrity, construct, argument, callbacks = {}, navigates } = sdk;

  /** What is at the dotted path from `window`, once it can be called. */
  const find = (): Found | undefined => {
    let found: Found | undefined = globalThis as unknown as Found;
    for (const name of global.split('.')) found = found?.[name];
    return typeof (construct ? found : found?.configure) === 'function' ? found : undefined;
  };

  return {
    async load(signal) {
      const isThere = (): boolean => Boolean(find());
      if (!isThere()) await loadScript({ url, global, integrity, nonce }, isThere);
      signal.throwIfAborted();
    },

    /** Calls `configure()` with the `session_id` (spec 2.4); all else is as described (an assumption). */
    async open({ sessionId, container, report }) {
      const extras: Record<string, unknown> = {};
      const selector = `#${container.id}`;
      if (sdk.container) extras.container = sdk.container === 'selector' ? selector : container;
      // From inside a shadow root: the SDK would find nothing, and might not say so.
      if (extras.container === selector && !document.querySelector(selector)) {
        throw new CodedError('sdk_place_hidden');
      }
      for (const [name, kind] of Object.entries(callbacks)) extras[name] = () => report(kind);
      const found = find() as unknown as Configurable & (new () => Configurable);
      const configurable = construct ? new found() : found;
      const { children, childElementCount } = document.body;
      const answer =
        argument === 'object'
          ? configurable.configure({ session_id: sessionId, ...extras })
          : configurable.configure(sessionId, ...(Object.keys(extras).length ? [extras] : []));
      // What an SDK puts on the page of its own accord, it may leave no handle for.
      const drawn = sdk.container ? [] : [...children].slice(childElementCount);
      const handle = (await answer) as Found | undefined;
      // Nothing is shown here, whatever it answered: the page goes, or the time for drawing runs out.
      if (navigates) await new Promise(() => undefined);
      return {
        destroy() {
          for (const one of drawn) one.remove();
          return (handle?.destroy ?? handle?.unmount ?? handle?.close)?.call(handle);
        },
      };
    },
  };
}

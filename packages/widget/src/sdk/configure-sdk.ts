import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { reportCause } from '../attempt.js';
import { CodedError } from '../coded-error.js';
import { joinShared } from '../pause.js';
import { scriptNonce } from '../server-origin.js';
import { loadScript } from './script-loader.js';
import type { SdkAdapter } from './sdk-adapter.js';

/** What a script leaves or `configure()` answers: it may contain anything. */
interface Unknown {
  readonly [name: string]: Unknown | undefined;
  (...args: unknown[]): unknown;
}

interface Configurable {
  configure(argument: unknown, options?: unknown): unknown;
  destroy?(): unknown;
}

/** The page's own client SDK, or the one that the server describes. */
export function adapterFor(
  host: { readonly adapter: SdkAdapter | undefined; readonly nonce?: string },
  sdk: SdkDescription | undefined,
): SdkAdapter {
  const adapter = host.adapter ?? (sdk && scriptAdapter(sdk, host.nonce || scriptNonce));
  if (!adapter) throw new CodedError('sdk_missing');
  return adapter;
}

/** The client SDK that a server's `SdkDescription` describes: a script, a global, `configure()`. */
export function scriptAdapter(sdk: SdkDescription, nonce: string | undefined): SdkAdapter {
  const { url, global, integrity, construct, argument, callbacks = {}, navigates, answers } = sdk;

  /** What is at the dotted path from `window`, once it can be called. */
  const find = (): Unknown | undefined => {
    let found: Unknown | undefined = globalThis as unknown as Unknown;
    for (const name of global.split('.')) found = found?.[name];
    return typeof (construct ? found : found?.configure) === 'function' ? found : undefined;
  };

  return {
    drawsInside: Boolean(sdk.container),
    reportsShown: Object.values(callbacks).includes('shown'),

    async load(signal) {
      if (!find()) await joinShared(loadScript({ url, global, integrity, nonce }, find), signal);
    },

    /** Calls `configure()` with the `session_id` (spec 2.4); the rest is as described (an assumption). */
    async open({ sessionId, container, report, signal }) {
      const options: Record<string, unknown> = {};
      const selector = `#${container.id}`;
      if (sdk.container) options.container = sdk.container === 'selector' ? selector : container;
      // Inside a shadow root the SDK would not find its container, and might not report it.
      if (options.container === selector && !document.querySelector(selector)) {
        throw new CodedError('sdk_place_hidden');
      }
      for (const [name, kind] of Object.entries(callbacks)) options[name] = () => report(kind);
      const found = find() as unknown as Configurable & (new () => Configurable);
      const configurable = construct ? new found() : found;
      const { children, childElementCount } = document.body;
      const answer =
        argument === 'object'
          ? configurable.configure({ session_id: sessionId, ...options })
          : configurable.configure(sessionId, ...(Object.keys(options).length ? [options] : []));
      // An SDK without a container may append to the page and return no handle.
      const appended = sdk.container ? [] : [...children].slice(childElementCount);
      // What it draws is not seen, and its answer may be the end of it.
      if (answers && !sdk.container) report('shown');
      let handle: Unknown | undefined = undefined;
      const destroy = async (): Promise<void> => {
        for (const one of appended) one.remove();
        const end = handle?.destroy ?? handle?.unmount ?? handle?.close;
        await (end ? end.call(handle) : configurable.destroy?.());
      };
      const onAbort = (): unknown => destroy().catch(reportCause);
      // An SDK may answer only when it is over, and then without a handle.
      signal.addEventListener('abort', onAbort);
      handle = (await answer) as Unknown | undefined;
      if (signal.aborted) onAbort();
      const last = sdk.open ? await handle?.[sdk.open]?.(options.container) : handle;
      for (const [field, kinds] of Object.entries(answers ?? {})) {
        const kind = kinds[String((Object(last) as Unknown)[field])];
        if (kind) report(kind);
      }
      // Nothing is shown here: the page navigates, or mounting times out.
      if (navigates) await new Promise(() => undefined);
    },
  };
}

/** Shows the server's hosted page in a frame, for an SDK that accepts no container. */
export function hostedFrame(url: string, title: string): SdkAdapter {
  return {
    load: () => Promise.resolve(),
    open: ({ container }) =>
      new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), {
          title,
          // The page's height is not known here. Most card forms fit.
          width: '100%',
          height: '600',
          allow: 'payment',
          onload: () => resolve(),
          src: url,
        });
        container.append(frame);
      }),
  };
}

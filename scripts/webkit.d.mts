/** A WebKitGTK with one window. */
export interface WebKit {
  readonly version: string;
  /** Sends a command of the session: `send('POST', 'url', { url })`. Resolves with its value. */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a WebKitGTK that remembers nothing, with more arguments of its MiniBrowser. */
export function startWebKit(args: readonly string[]): Promise<WebKit>;

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { within } from '../http.ts';

/** Longer than any answer may take: no request of the drill waits for more than a moment. */
const ANSWER_SECONDS = 20;

export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Head and body as they came. */
  readonly text: string;
  readonly body: string;
}

/** A connection that sends any bytes, right or wrong, and reads answers one after the other. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake = Promise.withResolvers<void>();
  /** Whether the server has closed it, or has said that it will. */
  isOver = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake.resolve();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isOver = true;
      this.#wake.resolve();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  write(bytes: Uint8Array | string): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /**
   * The answer to the oldest request that has none yet; undefined when the connection is closed
   * instead.
   */
  async read(method: string): Promise<RawAnswer | undefined> {
    return within(ANSWER_SECONDS, `an answer to ${method}`, this.#read(method));
  }

  /** All that comes until the server closes the connection, or until it is silent for so long. */
  async readRest(silentMs: number): Promise<string> {
    const timer = setTimeout(() => {
      this.close();
    }, silentMs);
    while (!this.#socket.closed) {
      await this.#news();
      timer.refresh();
    }
    clearTimeout(timer);
    return this.#received.toString('latin1');
  }

  /** Resolves when the server has closed it. */
  async untilClosed(): Promise<void> {
    if (this.#socket.closed) return;
    // Not `once()`, which a reset would reject: it closes the connection like an end.
    await new Promise((resolve) => this.#socket.once('close', resolve));
  }

  /** Whether it is closed, by whichever side. */
  get isClosed(): boolean {
    return this.#socket.closed;
  }

  /** Leaves every answer where it is: in the buffers of the system, and then in those of the server. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Throws away all that comes: a connection that is not read does not notice that it was closed. */
  discard(): void {
    this.#socket.removeAllListeners('data').resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #read(method: string): Promise<RawAnswer | undefined> {
    for (;;) {
      const found = parseAnswer(this.#received, method, this.#socket.closed);
      if (found) {
        this.#received = this.#received.subarray(found.length);
        const { answer } = found;
        if (answer.status < 200) continue;
        if (answer.headers.get('connection') === 'close') this.isOver = true;
        return answer;
      }
      if (this.#socket.closed) return undefined;
      await this.#news();
    }
  }

  async #news(): Promise<void> {
    await this.#wake.promise;
    if (!this.#socket.closed) this.#wake = Promise.withResolvers();
  }
}

function parseAnswer(
  bytes: Buffer,
  method: string,
  isClosed: boolean,
): { readonly answer: RawAnswer; readonly length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(line.split(' ')[1]);
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
    }),
  );
  const from = headEnd + 4;
  const hasBody = method !== 'HEAD' && status >= 200 && status !== 204 && status !== 304;
  const end = hasBody ? endOfBody(bytes, from, headers, isClosed) : from;
  if (end === undefined) return undefined;
  const answer = {
    status,
    headers,
    text: bytes.toString('utf8', 0, end),
    body: bytes.toString('utf8', from, end),
  };
  return { answer, length: end };
}

/** Where a body ends; undefined as long as it is not all there. */
function endOfBody(
  bytes: Buffer,
  from: number,
  headers: ReadonlyMap<string, string>,
  isClosed: boolean,
): number | undefined {
  const length = headers.get('content-length');
  if (length !== undefined) {
    const end = from + Number(length);
    return end <= bytes.length ? end : undefined;
  }
  if (headers.get('transfer-encoding') !== 'chunked') return isClosed ? bytes.length : undefined;
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (at > bytes.length) return undefined;
    if (size === 0) return at;
  }
}

import type { MessagePort, Worker } from 'node:worker_threads';
import type { ChannelOptions } from 'birpc';

/** What crosses in one go. */
interface Batch {
  /** Milliseconds since 1970, by the clock of whoever sends. */
  readonly now: number;
  readonly messages: readonly ThreadMessage[];
}

/** A call or an answer, as far as it is looked at here. */
interface ThreadMessage {
  /** Why a call failed. */
  readonly e?: unknown;
}

/** An error without its class, which does not cross. */
interface ToldError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

export interface ThreadPortOptions {
  /** Default: no time is told. */
  readonly now?: () => number;
  /** Hears the other side's time before its messages. */
  readonly onTime?: (now: number) => void;
}

/**
 * One side of the talk between two threads. What is said in one turn of the event loop crosses
 * together: a crossing costs more than a message.
 */
export function threadPort(
  port: MessagePort | Worker,
  { now = () => 0, onTime }: ThreadPortOptions,
): Pick<ChannelOptions, 'post' | 'on' | 'serialize' | 'deserialize'> {
  let waiting: ThreadMessage[] = [];
  const flush = (): void => {
    const messages = waiting;
    waiting = [];
    port.postMessage({ now: now(), messages } satisfies Batch);
  };
  return {
    post(message: ThreadMessage) {
      if (waiting.push(message) === 1) setImmediate(flush);
    },
    on(hear: (message: ThreadMessage) => void) {
      port.on('message', (batch: Batch) => {
        onTime?.(batch.now);
        for (const message of batch.messages) hear(message);
      });
    },
    serialize: (message: ThreadMessage) =>
      message.e === undefined ? message : { ...message, e: tell(message.e) },
    deserialize: (message: ThreadMessage) =>
      message.e === undefined ? message : { ...message, e: toError(message.e as ToldError) },
  };
}

function tell(thrown: unknown): ToldError {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { name, message, stack };
}

function toError({ name, message, stack }: ToldError): Error {
  return Object.assign(new Error(message), { name, stack });
}

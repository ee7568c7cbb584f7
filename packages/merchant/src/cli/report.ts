import { styleText } from 'node:util';

export interface Terminal {
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
  /** Ctrl-C. */
  readonly stop: AbortSignal;
  /** Default: no colour. */
  readonly hasColors?: boolean;
}

/** How a shop answered one event. */
export interface Answered {
  readonly type: string;
  readonly order: string;
  readonly id: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  /** Why no answer came, or what the answer said was wrong. */
  readonly why?: string | undefined;
  readonly milliseconds: number;
  /** When the event is sent again; undefined when it is acknowledged. */
  readonly retryMs?: number | undefined;
}

type Colour = 'green' | 'red' | 'yellow' | 'dim';

/** What the commands print: lines for people, or one JSON object in each. */
export class Report {
  readonly #terminal: Terminal;
  readonly #isJson: boolean;

  constructor(terminal: Terminal, isJson: boolean) {
    this.#terminal = terminal;
    this.#isJson = isJson;
  }

  /** A sentence, and what a program reads instead. */
  say(sentence: string, fields: object, colour?: Colour): void {
    const words = colour === undefined ? sentence : this.#paint(colour, sentence);
    this.#terminal.write(this.#isJson ? JSON.stringify({ time: now(), ...fields }) : words);
  }

  secret(signingSecret: string): void {
    const sentence = `For the shop: PAY_CHECKOUT_SIGNING_SECRET=${signingSecret}`;
    this.say(sentence, { kind: 'secret', signingSecret });
  }

  answered({ type, order, id, status, why, milliseconds, retryMs }: Answered): void {
    const isTaken = status !== undefined && status >= 200 && status < 300;
    const answer = status === undefined ? `no answer (${why ?? ''})` : String(status);
    const again = retryMs === undefined ? '' : `, again in ${retryMs / 1000} s`;
    const detail = status !== undefined && why !== undefined ? `\n  ${why}` : '';
    const line = [
      this.#paint('dim', clock()),
      type,
      order,
      id,
      this.#paint(isTaken ? 'green' : 'red', answer),
      `${milliseconds} ms${again}${detail}`,
    ].join(' ');
    this.say(line, { kind: 'event', type, order, id, status, why, milliseconds, retryMs });
  }

  /** The session server does not serve its feed, for now. */
  disconnected(message: string, retryMs: number): void {
    const sentence = `${clock()} The session server does not answer as it should: ${message.replace(/\.$/, '')}. Trying again in ${retryMs / 1000} s.`;
    this.say(sentence, { kind: 'disconnected', message, retryMs }, 'yellow');
  }

  connected(): void {
    this.say(`${clock()} Connected again.`, { kind: 'connected' }, 'green');
  }

  #paint(colour: Colour, text: string): string {
    return this.#terminal.hasColors ? styleText(colour, text, { validateStream: false }) : text;
  }
}

function now(): string {
  return new Date().toISOString();
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

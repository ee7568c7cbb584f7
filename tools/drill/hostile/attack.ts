import fc from 'fast-check';
import { RawConnection, type RawAnswer } from './raw-connection.ts';
import type { HostileRequest } from './hostile-request.ts';
import type { Route } from './routes.ts';
import type { Usage } from './server.ts';
import type { HostileTarget } from './target.ts';
import { type Damage, spoil, type Visit, visitOf } from './visits.ts';

/** Visits that share one seed: a counterexample is found again by playing these only. */
const VISITS_PER_ROUND = 100;
/** Visitors at the same time. */
const LANES = 4;
/** A connection with no answer for so long has none to come: its request is broken. */
const SILENT_MS = 100;
/** No part of an answer, whatever was asked: names of our files, and the database's words. */
const INSIDES =
  /node_modules|\bat .{1,80}\.[jt]s:\d+|\bSELECT \w|\bINSERT INTO\b|SQLITE_|syntax error at/;

export interface AttackResult {
  readonly requests: number;
  readonly seconds: number;
  /** How many answers there were of each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The lowest status that each route answered with. */
  readonly routes: ReadonlyMap<string, number>;
  /** What the two pages ask with a session: answers, and how many of them came from behind the sign-in. */
  readonly pages: { readonly answers: number; readonly signedIn: number };
  /** The longest that an answer took. */
  readonly slowestMs: number;
  /** What the server had after each tenth of the requests. */
  readonly usage: readonly Usage[];
  /** What must not be, with the seed and the shortest requests that show it. */
  readonly failure: string | undefined;
}

/** Sends at least so many requests to every route, and checks each answer. */
export async function attack(
  target: HostileTarget,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<AttackResult> {
  const startedAt = performance.now();
  const attacker = new Attacker(target);
  const usage: Usage[] = [];
  let tenths = 1;
  let round = 0;
  let failure: string | undefined;
  const drive = async (): Promise<void> => {
    while (attacker.requests < requests && failure === undefined) {
      round += 1;
      const found = await runRound(target, attacker, seed + round - 1);
      failure ??= found;
      if (attacker.requests >= (requests * tenths) / 10) {
        tenths += 1;
        usage.push(await target.usage());
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, drive));
  return {
    requests: attacker.requests,
    seconds: (performance.now() - startedAt) / 1000,
    statuses: attacker.statuses,
    routes: attacker.routes,
    pages: attacker.pages,
    slowestMs: attacker.slowestMs,
    usage,
    failure,
  };
}

async function runRound(
  target: HostileTarget,
  attacker: Attacker,
  seed: number,
): Promise<string | undefined> {
  const listeners = ['public', 'operator', 'dashboard'] as const;
  const visit = fc.oneof(
    ...listeners.map((listener) => {
      const routes = target.routes.filter((route) => route.listener === listener);
      const weight = listener === 'public' ? 5 : 1;
      return { weight, arbitrary: visitOf(routes) };
    }),
  );
  const details = await fc.check(
    fc.asyncProperty(visit, (one) => attacker.play(one)),
    { numRuns: VISITS_PER_ROUND, seed, endOnFailure: false },
  );
  if (!details.failed) {
    // What a client that was gone by then has caused; whose request it was is not known.
    return target.errors === ''
      ? undefined
      : `seed ${String(seed)}, the log says: ${target.errors}`;
  }
  const [shortest] = details.counterexample ?? [];
  const why = details.errorInstance instanceof Error ? details.errorInstance.message : '';
  return `seed ${String(seed)}: ${why}\n${fc.stringify(shortest)}`;
}

/** Plays visits, and counts what is answered. */
class Attacker {
  requests = 0;
  slowestMs = 0;
  readonly statuses = new Map<number, number>();
  readonly routes = new Map<string, number>();
  readonly pages = { answers: 0, signedIn: 0 };
  readonly #target: HostileTarget;

  constructor(target: HostileTarget) {
    this.#target = target;
  }

  /** @throws {Error} naming what must not be */
  async play(visit: Visit): Promise<void> {
    this.requests += visit.requests.length;
    const { listener = 'public' } = visit.requests[0]?.route ?? {};
    const known = await this.#target.visitor(visit.number, listener);
    const port = this.#target.ports[listener];
    const connection = await RawConnection.open(port);
    const { delivery } = visit;
    if (typeof delivery !== 'string') await this.#sendBroken(visit, delivery, connection, known);
    else if (delivery === 'pipelined') await this.#pipeline(visit, connection, known);
    else await this.#converse(visit, connection, port, known);
  }

  /** Each request after the answer to the one before, which may name what the next one asks for. */
  async #converse(
    { requests, delivery }: Visit,
    first: RawConnection,
    port: number,
    known: Record<string, string | undefined>,
  ): Promise<void> {
    let connection = first;
    for (const request of requests) {
      if (connection.isOver) {
        connection.close();
        connection = await RawConnection.open(port);
      }
      const bytes = request.toBytes(known);
      const startedAt = performance.now();
      if (delivery === 'in pieces') await writeInPieces(connection, bytes);
      else connection.write(bytes);
      const answer = await connection.read(request.method);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
      if (answer) Object.assign(known, this.#take(request, answer));
      else await this.#expectNoHttp(request, bytes, port);
    }
    connection.close();
  }

  async #pipeline(
    { requests }: Visit,
    connection: RawConnection,
    known: Record<string, string | undefined>,
  ) {
    connection.write(Buffer.concat(requests.map((request) => request.toBytes(known))));
    for (const request of requests) {
      const answer = await connection.read(request.method);
      if (!answer) break;
      this.#take(request, answer);
      if (connection.isOver) break;
    }
    connection.close();
  }

  /** What is no HTTP may be answered or not; how many answers come is not known. */
  async #sendBroken(
    { requests }: Visit,
    damage: readonly Damage[],
    connection: RawConnection,
    known: Record<string, string | undefined>,
  ): Promise<void> {
    connection.write(
      spoil(Buffer.concat(requests.map((request) => request.toBytes(known))), damage),
    );
    const text = await connection.readRest(SILENT_MS);
    this.#check(text);
    const [line = ''] = /HTTP\/1\.1 5\d\d .*/.exec(text) ?? [];
    if (line !== '') throw new Error(`answered ${line}`);
  }

  /** Counts and checks an answer; returns what it gave out. */
  #take({ method, route }: HostileRequest, answer: RawAnswer): Record<string, string> {
    const { status, headers, body } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (method === route.method) {
      const name = nameOf(route);
      this.routes.set(name, Math.min(this.routes.get(name) ?? 999, status));
    }
    if (route.path.startsWith('/page/') && route.path !== '/page/session') {
      this.pages.answers += 1;
      if (isBehindSignIn(answer)) this.pages.signedIn += 1;
    }
    this.#check(answer.text);
    if (headers.has('x-injected')) throw new Error(`a header was injected: ${answer.text}`);
    if (status >= 500) throw new Error(`answered ${String(status)}: ${body}`);
    const type = headers.get('content-type') ?? '';
    if (!type.includes('json') || body === '') return {};
    // A page gets `null` before anyone has signed in.
    const reply = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    if (status >= 400 && typeof reply['code'] !== 'string') throw new Error(`no code: ${body}`);
    const given = ['checkout', 'sessionId', 'orderToken'].flatMap((name) => {
      const value = reply[name];
      return status < 300 && typeof value === 'string' ? [[name, value]] : [];
    });
    return Object.fromEntries(given) as Record<string, string>;
  }

  #check(text: string): void {
    const secret = this.#target.canaries.find((canary) => text.includes(canary));
    if (secret !== undefined) throw new Error(`"${secret}" is in the answer: ${text}`);
    const [inside] = INSIDES.exec(text) ?? [];
    if (inside !== undefined) throw new Error(`"${inside}" is in the answer: ${text}`);
  }

  /**
   * Node refuses what is no HTTP as soon as it sees that. The rest of it then meets a closed connection,
   * and the reset overtakes the answer: sent at once, the same bytes have one.
   */
  async #expectNoHttp({ method }: HostileRequest, bytes: Buffer, port: number): Promise<void> {
    const connection = await RawConnection.open(port);
    connection.write(bytes);
    const answer = await connection.read(method);
    connection.close();
    if (!answer || answer.headers.has('x-request-id'))
      throw new Error(`${method} was not answered`);
  }
}

/** How the results name a route. */
export function nameOf({
  listener,
  method,
  path,
}: Pick<Route, 'listener' | 'method' | 'path'>): string {
  return `${listener} ${method} ${path}`;
}

/** Neither Node nor what stands before the sign-in has refused it. */
function isBehindSignIn({ status, headers }: RawAnswer): boolean {
  return headers.has('x-request-id') && ![401, 403, 421].includes(status);
}

async function writeInPieces(connection: RawConnection, bytes: Buffer): Promise<void> {
  const size = Math.ceil(bytes.length / 5);
  for (let at = 0; at < bytes.length; at += size) {
    connection.write(bytes.subarray(at, at + size));
    await new Promise(setImmediate);
  }
}

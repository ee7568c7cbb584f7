import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { TuningChanges } from '@pay-checkout/session-server';
import { expect } from 'vitest';
import type { Stack, startStack as StartStack } from '../stack/stack.js';
import { perPort, type ProcessEnv, type ProcessName } from '../stack/settings.js';
import { SandboxControl } from './sandbox-control.js';
import { CARDS, PAID, type Shopper } from './shopper.js';

const TUNED_SESSION_SERVER = fileURLToPath(new URL('./tuned-session-server.ts', import.meta.url));
/** Polls that follow each other this fast use up a minute's usual pages in seconds. */
const TUNING: TuningChanges = {
  pollIntervalSeconds: 0.3,
  tickSeconds: 0.2,
  pollPagesPerMinute: 6000,
};

const BUILT_STACK = new URL('../dist/stack/stack.js', import.meta.url).href;

/** Seed of an unkind provider, for all journeys. */
const ADVERSARIAL = process.env['PAY_ADVERSARIAL'];

export interface ServersOptions {
  readonly env?: Partial<Record<ProcessName, ProcessEnv>>;
  /** Of the session server. */
  readonly tuning?: TuningChanges;
  /** Program of the session server. Default: the built one, with `tuning`. */
  readonly sessionServer?: string;
  /** Default false. */
  readonly isWhole?: boolean;
}

/** Answer of `GET /v1/merchant/orders/{order}`, as far as the journeys check it. */
export interface MerchantOrder {
  readonly state: string;
  readonly certain: boolean;
  readonly amountRefunded: string;
  readonly attention: readonly string[];
  readonly payment?: { readonly method?: string; readonly lastDigits?: string };
  readonly checkouts: readonly {
    readonly checkout: string;
    readonly attempts: readonly { readonly status: string }[];
    readonly transactions: readonly { readonly transactionTime: string }[];
  }[];
}

/** Running servers and where they keep their data. */
interface Started {
  readonly stack: Stack;
  readonly folder: string;
  /** Whether the provider is adversarial. */
  readonly isUnkind: boolean;
}

export async function startServers({
  env,
  tuning,
  sessionServer = TUNED_SESSION_SERVER,
  isWhole = false,
}: ServersOptions = {}): Promise<Started> {
  // The stack finds its programs next to itself, so it is the built one that runs here.
  const { startStack } = (await import(BUILT_STACK)) as { startStack: typeof StartStack };
  const folder = await mkdtemp(join(tmpdir(), 'journey-'));
  const sandbox = { ...(ADVERSARIAL && { SANDBOX_ADVERSARIAL: ADVERSARIAL }), ...env?.sandbox };
  const stack = await startStack({
    dataDirectory: folder,
    ports: perPort(() => 0),
    isWhole,
    env: {
      ...env,
      sandbox,
      'session-server': {
        ...env?.['session-server'],
        TUNING: JSON.stringify({ ...TUNING, ...tuning }),
      },
    },
    programs: { 'session-server': sessionServer },
  });
  return { stack, folder, isUnkind: sandbox.SANDBOX_ADVERSARIAL !== undefined };
}

/** Sandbox, session server and shop as real processes. */
export class Servers {
  readonly stack: Stack;
  readonly sandbox: SandboxControl;
  readonly #folder: string;
  readonly #isUnkind: boolean;

  constructor({ stack, folder, isUnkind }: Started) {
    this.stack = stack;
    this.#isUnkind = isUnkind;
    this.sandbox = new SandboxControl(stack.addresses.sandboxApi);
    this.#folder = folder;
  }

  get addresses(): Stack['addresses'] {
    return this.stack.addresses;
  }

  /** What the session server reports to the shop's own back end. */
  async orderAtServer(order: string): Promise<MerchantOrder> {
    const response = await fetch(`${this.addresses.payApi}/v1/merchant/orders/${order}`, {
      headers: { authorization: `Bearer ${this.stack.secrets.merchantApiKey}` },
    });
    return (await response.json()) as MerchantOrder;
  }

  /** Gives an order another price in the shop's own books, as the shop's staff would. */
  changePrice(order: string, totalMinor: number): void {
    const books = new DatabaseSync(join(this.#folder, 'shop.sqlite'), { timeout: 5000 });
    books
      .prepare(`UPDATE orders SET basket = json_set(basket, '$.totalMinor', ?) WHERE number = ?`)
      .run(totalMinor, Number(order.slice(1)));
    books.close();
  }

  /** Asserts that all agree that an order is paid, once: server, shop and timeline. */
  async expectPaid(shopper: Pick<Shopper, 'orderView'>, order: string): Promise<void> {
    await expect.poll(async () => (await shopper.orderView(order)).state).toBe('paid');
    const { attention, ...known } = await this.orderAtServer(order);
    expect(known).toMatchObject({ state: 'paid', certain: true });
    // A person is asked about a paid row with an odd status, which an unkind provider shows at times.
    const isOdd = (reason: string): boolean => this.#isUnkind && reason === 'status_changed';
    expect(attention.filter((reason) => !isOdd(reason))).toEqual([]);
    expect(known.checkouts.flatMap(({ transactions }) => transactions)).toHaveLength(1);
    const { timeline } = await shopper.orderView(order);
    expect(timeline.filter(({ effect }) => effect === 'paid')).toHaveLength(1);
  }

  /** A card is declined, another one pays, in the same session. */
  async payAfterDecline(
    shopper: Pick<Shopper, 'orderView' | 'payWith' | 'reads'>,
    order: string,
  ): Promise<void> {
    await shopper.payWith(CARDS.declined);
    await shopper.reads('The payment was declined. Please check the card or try another card.');
    await shopper.payWith(CARDS.approved);
    await shopper.reads(PAID);
    await this.expectPaid(shopper, order);
    expect(await this.sandbox.sessionsOf(order)).toHaveLength(1);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

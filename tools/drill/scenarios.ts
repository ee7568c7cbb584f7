import type { TuningChanges } from '../../packages/session-server/dist/config.js';
import type { DrillSandbox } from './drill-sandbox.ts';
import type { DrillShop } from './drill-shop.ts';
import type { AnsweringServer, Shopper } from './shopper.ts';

/** What a scenario can reach. */
export interface Context {
  readonly server: AnsweringServer & { kill(): void };
  readonly sandbox: DrillSandbox;
  readonly shop: DrillShop;
  readonly providerMerchant: number;
}

export const PAID: readonly string[] = ['checkout.paid'];

/** What is true when a scenario is over, whatever died in it. */
export interface Ending {
  /**
   * Types of the events that the shop must have, once each; of each price in the order in which it was
   * opened. Default: {@link PAID}.
   */
  readonly eventTypes?: readonly string[];
  /** Those of them that may come several times in a row: on a slow machine, time passes again. */
  readonly mayRepeat?: readonly string[];
  /** Of the checkout that is paid. Default: nothing. */
  readonly attention?: readonly string[];
  /** Each price that was opened, oldest first, and how many sessions were shown. Default: one, paid. */
  readonly prices?: readonly { readonly state: string; readonly sessions: number }[];
  /** How many transactions were found. Default 1. */
  readonly transactions?: number;
  /** Default: none. */
  readonly refund?: 'none' | 'partial' | 'full';
}

/** What a shopper does, and how it must end. */
export interface Scenario extends Ending {
  readonly tuning?: TuningChanges;
  /** The longest it may take, kills and restarts included. */
  readonly withinSeconds?: number;
  run(shopper: Shopper, context: Context): Promise<void>;
}

/** Webhooks of a flood, and how many of them are in progress together. */
const FLOOD = { count: 200, atATime: 8 };
/** Longer than any round: the list does not show it before it is asked to. */
const HIDDEN_SECONDS = 3600;

/** Pays, comes back, and waits until the page says so. */
async function finish(shopper: Shopper, session: string, card?: 'withoutWebhook'): Promise<void> {
  await shopper.pay(session, card);
  await shopper.comeBack(session, 'return');
  await shopper.untilReported('paid');
}

/** Every scenario ends with the order paid at the provider: afterwards all must know it. */
export const SCENARIOS = {
  /** Opens, pays, comes back, reads that it is paid. */
  pays: {
    async run(shopper) {
      const session = await shopper.open();
      await shopper.hint('submitted', session);
      await finish(shopper, session);
    },
  },
  /** The shop puts the order by API; opens, pays. */
  'puts the order': {
    async run(shopper) {
      await shopper.putOrder('7.77');
      await finish(shopper, await shopper.open());
    },
  },
  /** The shop puts the order again, at another price, while a session of the older one is open. */
  'puts another price': {
    prices: [
      { state: 'open', sessions: 1 },
      { state: 'paid', sessions: 1 },
    ],
    async run(shopper) {
      await shopper.putOrder('7.77');
      await shopper.open();
      await shopper.putOrder('8.88');
      await finish(shopper, await shopper.open());
    },
  },
  /** The shop makes the order void while its session is open, and it is paid there. */
  'makes the order void': {
    eventTypes: ['checkout.paid', 'checkout.attention'],
    attention: ['paid_after_void'],
    async run(shopper) {
      await shopper.putOrder('7.77');
      const session = await shopper.open();
      await shopper.makeOrderVoid();
      await finish(shopper, session);
    },
  },
  /** Pays and closes the browser: only the provider's webhook speaks. */
  vanishes: {
    async run(shopper) {
      await shopper.pay(await shopper.open());
    },
  },
  /** Pays, comes back, closes the browser at once, and no webhook comes. */
  'only comes back': {
    async run(shopper) {
      const session = await shopper.open();
      await shopper.pay(session, 'withoutWebhook');
      await shopper.comeBack(session, 'return');
    },
  },
  /** Pays and closes the browser, and no webhook comes: the schedule has to find it. */
  'vanishes unheard': {
    withinSeconds: 180,
    async run(shopper) {
      await shopper.pay(await shopper.open(), 'withoutWebhook');
    },
  },
  /** The provider tests the webhook address (spec 4.8), then the shopper pays. */
  'webhook test': {
    async run(shopper, { sandbox, server }) {
      const session = await shopper.open();
      const { WebhookUrl } = await sandbox.session(session);
      // Counted, and not kept.
      const body = { event: 'test' };
      const { status } = await server.call(new URL(WebhookUrl).pathname, { body });
      if (status !== 200) throw new Error(`a webhook test was answered ${String(status)}`);
      await finish(shopper, session);
    },
  },
  /** A webhook comes to the registered endpoint that names an unknown order. */
  'stray webhook': {
    async run(shopper, { shop }) {
      const session = await shopper.open();
      const body = { reference: 'Z1.1' };
      await shopper.receive(`/v1/webhooks/${shop.endpointToken}`, { orderId: null, body });
      await finish(shopper, session);
    },
  },
  /** Cancels, opens again, pays. */
  cancels: {
    eventTypes: ['checkout.cancelled', 'checkout.paid'],
    async run(shopper) {
      await shopper.comeBack(await shopper.open(), 'cancel');
      await finish(shopper, await shopper.open());
    },
  },
  /** The page says that the form was cancelled; opens again, pays. */
  'cancels on the page': {
    eventTypes: ['checkout.cancelled', 'checkout.paid'],
    async run(shopper) {
      await shopper.hint('cancelled', await shopper.open());
      await finish(shopper, await shopper.open());
    },
  },
  /** Three tabs open the order at the same moment. */
  'opens in three tabs': {
    async run(shopper) {
      const [session] = await Promise.all([shopper.open(), shopper.open(), shopper.open()]);
      await finish(shopper, session);
    },
  },
  /** A second tab asks while the provider holds the answer for the first. */
  'waits for the first tab': {
    async run(shopper, { sandbox }) {
      await sandbox.addFault('create-session', 'hold');
      const first = shopper.open();
      await sandbox.untilHeld();
      const [session] = await Promise.all([first, shopper.open()]);
      await sandbox.releaseFaults();
      await finish(shopper, session);
    },
  },
  /** The provider makes a session and its answer is lost. */
  'answer lost': {
    async run(shopper, { sandbox }) {
      await sandbox.addFault('create-session', 'drop-after-commit');
      await finish(shopper, await shopper.open());
    },
  },
  /** The shop refuses the first event; it is sent again. */
  'shop refuses once': {
    async run(shopper, { shop }) {
      shop.answerNext(shopper.order, 'refuse');
      await finish(shopper, await shopper.open());
    },
  },
  /** The provider lists a payment of another amount first. */
  'wrong amount first': {
    eventTypes: ['checkout.attention', 'checkout.paid'],
    attention: ['amount_mismatch'],
    async run(shopper, { sandbox, shop, providerMerchant }) {
      const session = await shopper.open();
      const { MerchantReference: orderRef } = await sandbox.session(session);
      await sandbox.addTransaction({ merchantId: providerMerchant, orderRef, amount: '0.01' });
      await shopper.hint('submitted', session);
      await shop.until(shopper.order, 'checkout.attention');
      await finish(shopper, session);
    },
  },
  /** Waits until the checkout has expired, opens again, pays. */
  'comes too late': {
    eventTypes: ['checkout.expired', 'checkout.paid'],
    // It may expire a second time before it is paid, and the shop is then sent that, too.
    mayRepeat: ['checkout.expired'],
    tuning: { expireAfterSeconds: 2 },
    async run(shopper, { shop }) {
      await shopper.open();
      await shop.until(shopper.order, 'checkout.expired');
      await finish(shopper, await shopper.open());
    },
  },
  /** The price changes while a session of the old one is open; pays the new one. */
  'asked a new price': {
    prices: [
      { state: 'open', sessions: 1 },
      { state: 'paid', sessions: 1 },
    ],
    async run(shopper, { shop }) {
      await shopper.open();
      shop.addOrder(shopper.order, '5.55');
      await finish(shopper, await shopper.open());
    },
  },
  /** The price changes; pays the old one, in the form that is still open in another tab. */
  'pays the old price': {
    eventTypes: ['checkout.paid', 'checkout.attention'],
    attention: ['price_changed'],
    prices: [
      { state: 'paid', sessions: 1 },
      { state: 'open', sessions: 1 },
    ],
    async run(shopper, { shop }) {
      const old = await shopper.open();
      const { checkout } = shopper;
      shop.addOrder(shopper.order, '5.55');
      await shopper.open();
      await shopper.pay(old);
      await shopper.comeBack(old, 'return');
      await shopper.untilReported('paid', checkout);
    },
  },
  /** The SDK refuses the session; pays in the one that takes its place. */
  renews: {
    prices: [{ state: 'paid', sessions: 2 }],
    async run(shopper) {
      await finish(shopper, await shopper.open(await shopper.open()));
    },
  },
  /** Pays in the new session, and then in the old one too, that was still open in another tab. */
  'pays twice': {
    eventTypes: ['checkout.paid', 'checkout.attention'],
    attention: ['paid_twice'],
    prices: [{ state: 'paid', sessions: 2 }],
    transactions: 2,
    async run(shopper, { shop }) {
      const old = await shopper.open();
      const session = await shopper.open(old);
      await finish(shopper, session, 'withoutWebhook');
      await shopper.pay(old);
      await shop.until(shopper.order, 'checkout.attention');
    },
  },
  /** Pays, and the shop gives all of it back. */
  'is given back': {
    eventTypes: ['checkout.paid', 'checkout.refunded'],
    refund: 'full',
    async run(shopper, { sandbox, shop }) {
      const session = await shopper.open();
      await finish(shopper, session, 'withoutWebhook');
      const { order_id: orderId, MerchantReference, WebhookUrl } = await sandbox.session(session);
      await sandbox.refund(await sandbox.transactionOf(MerchantReference));
      const body = { note: 'given back' };
      await shopper.receive(new URL(WebhookUrl).pathname, { orderId, body });
      await shop.until(shopper.order, 'checkout.refunded');
    },
  },
  /** The list hides the payment: a signed webhook proves it, and the list shows the same later. */
  'is proved by a webhook': {
    async run(shopper, { sandbox, shop }) {
      const session = await shopper.open();
      await shopper.pay(session, 'withoutWebhook');
      const { MerchantReference: reference } = await sandbox.session(session);
      const transaction = await sandbox.transactionOf(reference);
      await sandbox.hide(transaction, HIDDEN_SECONDS);
      const amount = shop.priceOf(shopper.order);
      const body = { reference, status: 'PAID', transaction, amount, currency: 'GBP' };
      const headers = shop.signAsProvider(JSON.stringify(body));
      await shopper.receive(`/v1/webhooks/${shop.signedEndpointToken}`, {
        ...{ orderId: null, body, headers },
      });
      await shopper.untilReported('paid');
      await sandbox.hide(transaction, 0);
      await shopper.comeBack(session, 'return');
    },
  },
  /** Hundreds of webhooks that say nothing come to the address of the session, side by side. */
  'is flooded': {
    async run(shopper, { sandbox }) {
      const session = await shopper.open();
      const { order_id: orderId, WebhookUrl } = await sandbox.session(session);
      const bodies = Array.from({ length: FLOOD.count }, (_, flood) => ({ flood }));
      const send = async (): Promise<void> => {
        for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
          await shopper.receive(new URL(WebhookUrl).pathname, { orderId, body });
        }
      };
      await Promise.all(Array.from({ length: FLOOD.atATime }, send));
      await finish(shopper, session);
    },
  },
  /** Killed while the provider has the question and the answer is on its way. */
  'killed while creating': {
    async run(shopper, { sandbox, server }) {
      await sandbox.addFault('create-session', 'hold');
      const created = shopper.open();
      await sandbox.untilHeld();
      server.kill();
      await sandbox.releaseFaults();
      await finish(shopper, await created);
    },
  },
  /** Killed while the provider is asked for its transactions. */
  'killed while polling': {
    async run(shopper, { sandbox, server }) {
      const session = await shopper.open();
      await sandbox.addFault('transactions-list', 'hold');
      await shopper.pay(session);
      await sandbox.untilHeld();
      server.kill();
      await sandbox.releaseFaults();
      await shopper.comeBack(session, 'return');
      await shopper.untilReported('paid');
    },
  },
  /** Killed when the shop has stored the event and its answer is on its way. */
  'killed while delivering': {
    async run(shopper, { shop, server }) {
      shop.answerNext(shopper.order, 'store-and-stay-silent');
      const arrival = shop.untilArrival();
      const paying = finish(shopper, await shopper.open());
      await arrival;
      server.kill();
      await paying;
    },
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

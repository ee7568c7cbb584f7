import type { DrillSandbox } from './drill-sandbox.ts';
import type { DrillShop } from './drill-shop.ts';
import type { KillableServer } from './killable-server.ts';
import type { Shopper } from './shopper.ts';

/** What a story can reach. */
export interface Stage {
  readonly server: KillableServer;
  readonly sandbox: DrillSandbox;
  readonly shop: DrillShop;
  readonly providerMerchant: number;
}

/** What a shopper does, and what the shop must have been told in the end, once each. */
export interface Story {
  readonly tells: readonly string[];
  readonly attention?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The longest it may take, kills and restarts included. */
  readonly withinSeconds?: number;
  run(shopper: Shopper, stage: Stage): Promise<void>;
}

/** Of the webhook endpoint that is registered in the merchants file. */
export const ENDPOINT_TOKEN = 'token-of-the-registered-endpoint';
const PAID = ['checkout.paid'];

async function finish(shopper: Shopper, session: string): Promise<void> {
  await shopper.pay(session);
  await shopper.comeBack(session, 'return');
  await shopper.untilTold('paid');
}

/** Posts a webhook as the provider does: again when nothing answers. */
async function postWebhook(server: KillableServer, path: string, body: unknown): Promise<void> {
  const { status, text } = await server.call(path, { body });
  if (status < 200 || status > 299) {
    throw new Error(`a webhook was answered ${String(status)}: ${text}`);
  }
}

/** Every story ends with the order paid at the provider: afterwards everybody must know it. */
export const STORIES = {
  /** Opens, pays, comes back, reads that it is paid. */
  pays: {
    tells: PAID,
    async run(shopper) {
      const session = await shopper.open();
      await shopper.hint('submitted', session);
      await finish(shopper, session);
    },
  },
  /** Pays and closes the browser: only the provider's webhook speaks. */
  vanishes: {
    tells: PAID,
    async run(shopper) {
      await shopper.pay(await shopper.open());
    },
  },
  /** Pays, comes back, closes the browser at once, and no webhook comes. */
  'only comes back': {
    tells: PAID,
    async run(shopper) {
      const session = await shopper.open();
      await shopper.pay(session, 'withoutWebhook');
      await shopper.comeBack(session, 'return');
    },
  },
  /** Pays and closes the browser, and no webhook comes: the sweeper has to find it. */
  'vanishes unheard': {
    tells: PAID,
    withinSeconds: 120,
    async run(shopper) {
      await shopper.pay(await shopper.open(), 'withoutWebhook');
    },
  },
  /** The provider tests the webhook address (spec 4.8), then the shopper pays. */
  'webhook test': {
    tells: PAID,
    async run(shopper, { sandbox, server }) {
      const session = await shopper.open();
      const { WebhookUrl } = await sandbox.session(session);
      await postWebhook(server, new URL(WebhookUrl).pathname, { event: 'test' });
      await finish(shopper, session);
    },
  },
  /** A webhook comes to the registered endpoint that names an order of nobody. */
  'stray webhook': {
    tells: PAID,
    async run(shopper, { server }) {
      const session = await shopper.open();
      await postWebhook(server, `/v1/webhooks/${ENDPOINT_TOKEN}`, { reference: 'Z1.1' });
      shopper.acknowledged.add('stray webhook');
      await finish(shopper, session);
    },
  },
  /** Cancels, opens again, pays. */
  cancels: {
    tells: ['checkout.cancelled', 'checkout.paid'],
    async run(shopper) {
      await shopper.comeBack(await shopper.open(), 'cancel');
      await finish(shopper, await shopper.open());
    },
  },
  /** The page says that the form was cancelled; opens again, pays. */
  'cancels on the page': {
    tells: ['checkout.cancelled', 'checkout.paid'],
    async run(shopper) {
      await shopper.hint('cancelled', await shopper.open());
      await finish(shopper, await shopper.open());
    },
  },
  /** Three tabs open the order at the same moment. */
  'opens in three tabs': {
    tells: PAID,
    async run(shopper) {
      const [session] = await Promise.all([shopper.open(), shopper.open(), shopper.open()]);
      await finish(shopper, session);
    },
  },
  /** A second tab asks while the provider holds the answer for the first. */
  'waits for the first tab': {
    tells: PAID,
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
    tells: PAID,
    async run(shopper, { sandbox }) {
      await sandbox.addFault('create-session', 'drop-after-commit');
      await finish(shopper, await shopper.open());
    },
  },
  /** The shop refuses the first event; it is sent again. */
  'shop refuses once': {
    tells: PAID,
    async run(shopper, { shop }) {
      shop.answerNext(shopper.order, 'refuse');
      await finish(shopper, await shopper.open());
    },
  },
  /** The provider lists a payment of another amount first. */
  'wrong amount first': {
    tells: ['checkout.attention', 'checkout.paid'],
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
    tells: ['checkout.expired', 'checkout.paid'],
    env: { PAY_EXPIRE_AFTER_SECONDS: '2' },
    async run(shopper, { shop }) {
      await shopper.open();
      await shop.until(shopper.order, 'checkout.expired');
      await finish(shopper, await shopper.open());
    },
  },
  /** Killed while the provider has the question and the answer is on its way. */
  'killed while opening': {
    tells: PAID,
    async run(shopper, { sandbox, server }) {
      await sandbox.addFault('create-session', 'hold');
      const opening = shopper.open();
      await sandbox.untilHeld();
      server.kill();
      await sandbox.releaseFaults();
      await finish(shopper, await opening);
    },
  },
  /** Killed while the provider is asked for its transactions. */
  'killed while looking': {
    tells: PAID,
    async run(shopper, { sandbox, server }) {
      const session = await shopper.open();
      await sandbox.addFault('transactions-list', 'hold');
      await shopper.pay(session);
      await sandbox.untilHeld();
      server.kill();
      await sandbox.releaseFaults();
      await shopper.comeBack(session, 'return');
      await shopper.untilTold('paid');
    },
  },
  /** Killed when the shop has stored the event and its answer is on its way. */
  'killed while telling': {
    tells: PAID,
    async run(shopper, { shop, server }) {
      shop.answerNext(shopper.order, 'store-and-stay-silent');
      const arrival = shop.untilArrival();
      const paying = finish(shopper, await shopper.open());
      await arrival;
      server.kill();
      await paying;
    },
  },
} as const satisfies Record<string, Story>;

export type StoryName = keyof typeof STORIES;

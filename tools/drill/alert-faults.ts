import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../packages/session-server/src/testing/postgres-server.ts';
import type { Fixture } from './fixture.ts';
import { type Call, type Reply, send } from './http.ts';
import type { KillableServer } from './server.ts';
import type { Shopper } from './shopper.ts';

/** What a fault can change. */
export interface AlertContext {
  readonly fixture: Fixture;
  readonly postgres: PostgresServer;
  readonly servers: readonly [KillableServer, KillableServer];
  /** One with an order that can be paid. */
  readonly shopper: () => Shopper;
  /** Calls the first server. */
  readonly call: (path: string, call?: Call) => Promise<Reply>;
  /** Runs a statement in the servers' database. */
  readonly query: (text: string) => Promise<Record<string, unknown>[]>;
  /** Changes the address of the shop's order lookup or of its events. */
  readonly moveShop: (changes: { readonly lookup?: string; readonly events?: string }) => void;
  /** Starts another server, with these settings, until the fault is over. */
  readonly addServer: (env: Readonly<Record<string, string>>) => Promise<void>;
  /** Does this when the fault is over. */
  readonly atEnd: (undo: () => unknown) => void;
}

export interface AlertFault {
  readonly what: string;
  readonly alerts: readonly string[];
  readonly begin: (context: AlertContext) => Promise<unknown> | void;
}

const MEMORY_HUNGRY = 'data:text/javascript,globalThis.kept=Buffer.alloc(1.2e9,1)';
/** An address that answers nothing. */
const CLOSED = 'http://127.0.0.1:9/';

const providerFault = (operation: string, fault: object) => (context: AlertContext) =>
  send(`${context.fixture.sandbox.url}/_sandbox/faults`, {
    body: { operation, times: 10_000, ...fault },
  });

const postWebhooks = async (
  { call }: AlertContext,
  path: string,
  {
    count,
    headers = {},
    body = {},
  }: { count: number; headers?: Record<string, string>; body?: object },
): Promise<void> => {
  for (let at = 0; at < count; at += 1) await call(path, { headers, body: { ...body, at } });
};

/** In this order: later ones need what earlier ones left. */
export const ALERT_FAULTS: readonly AlertFault[] = [
  {
    what: 'a server hangs',
    alerts: ['PayDown'],
    begin({ servers: [, second], atEnd }) {
      const paused = second.pause(30);
      atEnd(() => paused);
    },
  },
  {
    what: 'PostgreSQL is down',
    alerts: ['PayStoreDown', 'PayErrors'],
    async begin({ postgres, atEnd }) {
      await postgres.stop();
      atEnd(() => postgres.resume());
    },
  },
  {
    what: 'the provider creates no session',
    alerts: ['PaySessionsFail'],
    begin: providerFault('create-session', { fault: 'error', status: 500 }),
  },
  {
    what: 'the provider creates sessions slowly',
    alerts: ['PayCheckoutsSlow'],
    begin: providerFault('create-session', { fault: 'wait', latencySeconds: [7, 7] }),
  },
  {
    what: 'the provider does not answer its list',
    alerts: ['PayListFails', 'PayListNotRead', 'PayOutcomesLate', 'PayScheduleLate'],
    begin: providerFault('transactions-list', { fault: 'error', status: 500 }),
  },
  {
    what: 'the list does not say how to read on',
    alerts: ['PayListCutOff'],
    begin: providerFault('transactions-list', { fault: 'missing-cursor' }),
  },
  {
    what: 'the list does not end',
    alerts: ['PayBackfillLate'],
    begin: providerFault('transactions-list', { fault: 'empty-page' }),
  },
  {
    what: 'the database refuses what is listed',
    alerts: ['PayListRowsUnreadable'],
    async begin({ query, shopper, atEnd }) {
      await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`);
      await query(`CREATE TRIGGER refuse BEFORE INSERT ON matched_transactions
        FOR EACH ROW EXECUTE FUNCTION refuse()`);
      atEnd(() => query('DROP FUNCTION refuse CASCADE'));
      const one = shopper();
      await one.pay(await one.open());
    },
  },
  {
    what: 'shoppers come back, and their payments are not listed',
    alerts: ['PayUnconfirmed'],
    async begin({ shopper, fixture, call }) {
      for (let at = 0; at < 6; at += 1) {
        const one = shopper();
        const { RedirectUrl } = await fixture.sandbox.session(await one.open());
        await call(new URL(RedirectUrl).pathname);
      }
    },
  },
  {
    what: 'an order is paid twice',
    alerts: ['PayAttention'],
    async begin({ shopper }) {
      const one = shopper();
      const old = await one.open();
      for (const session of [await one.open(old), old]) await one.pay(session);
    },
  },
  {
    what: 'the database is an older copy',
    alerts: ['PayUnknownOrderIds'],
    async begin({ shopper, query }) {
      const one = shopper();
      const session = await one.open();
      await query(`DELETE FROM order_log WHERE order_name = '${one.order}'`);
      await query(`DELETE FROM attempts WHERE session_id = '${session}'`);
      await one.pay(session, 'withoutWebhook');
    },
  },
  {
    what: 'the shop takes no events',
    alerts: ['PayEventsLate'],
    begin: ({ moveShop }) => {
      moveShop({ events: `${CLOSED}events` });
    },
  },
  {
    what: 'three days later',
    alerts: ['PayEventsDeadLettered'],
    async begin({ query }) {
      const giveUp = `UPDATE outbox_events SET status = 'dead_lettered', due_at = NULL
        WHERE id IN (SELECT id FROM outbox_events LIMIT 1) RETURNING id`;
      while ((await query(giveUp)).length === 0) await sleep(200);
    },
  },
  {
    what: 'the shop does not price its orders',
    alerts: ['PayOrdersNotPriced'],
    begin: ({ moveShop }) => {
      moveShop({ lookup: `${CLOSED}order-lookup` });
    },
  },
  {
    what: 'webhooks name no attempt',
    alerts: ['PayWebhooksUnmatched'],
    begin: (context) =>
      postWebhooks(context, `/v1/webhooks/${context.fixture.shop.endpointToken}`, {
        count: 1,
        body: { reference: 'nowhere.1' },
      }),
  },
  {
    what: 'webhooks are forged',
    alerts: ['PayWebhookSignatures'],
    async begin(context) {
      const { sandbox, shop } = context.fixture;
      const session = await sandbox.session(await context.shopper().open());
      await postWebhooks(context, `/v1/webhooks/${shop.signedEndpointToken}`, {
        count: 40,
        headers: shop.signAsProvider('another body'),
        body: { reference: session.MerchantReference, status: 'PAID' },
      });
    },
  },
  {
    what: 'webhooks flood an address',
    alerts: ['PayWebhooksRefused'],
    async begin(context) {
      const { WebhookUrl } = await context.fixture.sandbox.session(await context.shopper().open());
      const path = new URL(WebhookUrl).pathname;
      await postWebhooks(context, path, { count: 30, body: { text: 'x'.repeat(500) } });
    },
  },
  {
    what: 'a webhook stays unprocessed',
    alerts: ['PayWebhooksLate'],
    begin: ({ query }) =>
      query(`UPDATE webhooks SET status = 'waiting',
          received_at = received_at - 600000, due_at = received_at + 600000
        WHERE id IN (SELECT max(id) FROM webhooks WHERE status = 'processed')`),
  },
  {
    what: 'order ids run out',
    alerts: ['PayOrderIdsRunOut'],
    async begin({ addServer, query }) {
      const [row] = await query('SELECT max(order_id) AS last FROM attempts');
      await addServer({ PAY_MAX_ORDER_ID: String(Math.ceil(Number(row?.['last']) * 1.05)) });
    },
  },
  {
    what: 'a server is short of CPU',
    alerts: ['PayEventLoopLag'],
    async begin({ servers: [first] }) {
      for (let at = 0; at < 25; at += 1) {
        await first.pause(0.6);
        await sleep(400);
      }
    },
  },
  {
    what: 'a server needs much memory',
    alerts: ['PayMemory'],
    begin: ({ addServer }) => addServer({ NODE_OPTIONS: `--import=${MEMORY_HUNGRY}` }),
  },
];

/**
 * `/api/break/…`: plays scenarios and faults of the sandbox, and shows an order as shop and session server
 * see it. Their addresses and the operator's key stay here.
 */
import { json, type Request, Router } from 'express';
import { z } from 'zod';
import type { BreakThings } from '../shop/config.js';
import type { OrderStore } from '../shop/order-store.js';
import type { Payments } from '../shop/payments.js';
import { parseInput, orderNotFound, ShopError } from '../shop/problem.js';
import { readShopperKeyHash } from '../shop/shopper-key.js';
import { askServer } from './ask-server.js';
import type {
  BreakView,
  BrokenOrderView,
  PlayedView,
  ScenarioView,
  ShopSide,
} from './break-view.js';

export interface BreakRoutesOptions {
  readonly breakThings: BreakThings;
  readonly store: OrderStore;
  readonly payments: Payments;
}

/** What no payment calls: operations of the partner console. */
const OF_THE_CONSOLE: readonly string[] = [
  'update-schedule',
  'merchant-association',
  'scheduled-transfers',
  'partner-analytics',
  'create-webhook',
  'test-webhook',
];

const DEFAULT_GROUP = 'Paid';

const playBody = z.strictObject({ scenario: z.string() });
const faultBody = z.strictObject({ operation: z.string(), fault: z.string() });

/** What this needs of the sandbox's answers. */
interface About {
  readonly scenarios: readonly (Omit<ScenarioView, 'group'> & { readonly group?: string })[];
  readonly faults: Readonly<Record<string, readonly string[]>>;
}
interface Session {
  readonly session_id: string;
  readonly state: string;
  readonly MerchantReference: string;
  readonly transactionId?: string;
}
interface Faults {
  readonly queued: readonly { readonly operation: string; readonly fault: string }[];
}

export function breakRoutes({ breakThings, store, payments }: BreakRoutesOptions): Router {
  const { sandboxUrl, operatorUrl, operatorKey } = breakThings;
  const router = Router();
  const sandbox = <Answer>(path: string, body?: unknown): Promise<Answer> =>
    askServer('sandbox', `${sandboxUrl}/_sandbox${path}`, body === undefined ? {} : { body });

  /** An order, if the browser that asks may see it. */
  const find = (request: Request<{ order: string }>): ShopSide => {
    const { order } = request.params;
    const keyHash = readShopperKeyHash(request);
    const found = keyHash === undefined ? undefined : store.findShopperOrder(order, keyHash);
    if (found === undefined) throw orderNotFound();
    const { state, refund, attention } = found;
    const { merchant } = payments.of(found);
    return { merchant, state, refund, attention, events: store.listTimeline(order) };
  };

  /** The sessions of an order, newest first. */
  const sessionsOf = async (order: string): Promise<Session[]> => {
    const { sessions } = await sandbox<{ sessions: Session[] }>('/sessions');
    return sessions
      .filter(({ MerchantReference: name }) => name.startsWith(`${order}.`))
      .toReversed();
  };

  router.use('/api/break', json({ limit: '1kb' }), (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });

  router.get('/api/break', async (_request, response) => {
    const about = await sandbox<About>('/about');
    const reply: BreakView = {
      scenarios: about.scenarios.map(({ name, title, description, group = DEFAULT_GROUP }) => ({
        ...{ name, title, description, group },
      })),
      faults: Object.fromEntries(
        Object.entries(about.faults).filter(([name]) => !OF_THE_CONSOLE.includes(name)),
      ),
    };
    response.json(reply);
  });

  router.get('/api/break/orders/:order', async (request, response) => {
    const shop = find(request);
    const path = `/operator/orders/${shop.merchant}/${request.params.order}/timeline`;
    const [{ lines }, { queued }] = await Promise.all([
      askServer<{ lines: string[] }>('session server', operatorUrl + path, { key: operatorKey }),
      sandbox<Faults>('/faults'),
    ]);
    const faults = queued.map(({ operation, fault }) => `${operation}: ${fault}`);
    const reply: BrokenOrderView = { shop, server: lines, faults };
    response.json(reply);
  });

  router.post('/api/break/orders/:order/play', async (request, response) => {
    find(request);
    const { scenario } = parseInput(playBody, request.body);
    const sessions = await sessionsOf(request.params.order);
    const open = sessions.find(({ state }) => state === 'open');
    if (open === undefined) {
      throw new ShopError(409, 'no_open_session', 'Open the payment form first.');
    }
    const path = `/sessions/${encodeURIComponent(open.session_id)}/pay`;
    const { outcome } = await sandbox<PlayedView>(path, { scenario });
    response.json({ outcome } satisfies PlayedView);
  });

  router.post('/api/break/orders/:order/refund', async (request, response) => {
    find(request);
    const sessions = await sessionsOf(request.params.order);
    const id = sessions.find(({ transactionId }) => transactionId !== undefined)?.transactionId;
    if (id === undefined) throw new ShopError(409, 'not_paid', 'Pay the order first.');
    await sandbox(`/transactions/${encodeURIComponent(id)}/refund`, {});
    // After the first webhook of a payment the session server polls once a minute.
    const outcome = 'refunded; the servers see it within a minute';
    response.json({ outcome } satisfies PlayedView);
  });

  router.post('/api/break/faults', async (request, response) => {
    await sandbox('/faults', parseInput(faultBody, request.body));
    response.json({ outcome: 'waits for its call' } satisfies PlayedView);
  });

  router.delete('/api/break/faults', async (_request, response) => {
    await askServer('sandbox', `${sandboxUrl}/_sandbox/faults`, { method: 'DELETE' });
    response.json({ outcome: 'cleared' } satisfies PlayedView);
  });

  return router;
}

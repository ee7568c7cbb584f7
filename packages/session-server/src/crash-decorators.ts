import type { RequestHandler } from 'express';
import { crashPoint, isCrashPointArmed } from './crash-points.js';
import type { OrderLookup } from './orders/order-lookup.js';
import type { PartnerGateway } from './provider/gateway.js';
import type { ShopClient } from './provider/shop-client.js';
import type { Database } from './store/database.js';

// Each decorator leaves what it is given as it is, unless the process is armed.

/** A database that has a crash point after each transaction, by its name, and two for all of them. */
export function addDatabaseCrashPoints(database: Database): Database {
  if (!isCrashPointArmed()) return database;
  return {
    isShared: database.isShared,
    get: (query) => database.get(query),
    all: (query) => database.all(query),
    write: (build) => database.write(build),
    countConnections: () => database.countConnections(),
    purgeDeleted: () => database.purgeDeleted(),
    close: () => database.close(),
    async run(name, first, ...others) {
      const rows = await database.run(name, first, ...others);
      crashPoint('store:committed');
      crashPoint(name);
      return rows;
    },
    async transaction(name, work) {
      const result = await database.transaction(name, async (tx) => {
        const value = await work(tx);
        crashPoint('store:written');
        return value;
      });
      crashPoint('store:committed');
      // A claim that found nothing is not a step.
      if (!Array.isArray(result) || result.length > 0) crashPoint(name);
      return result;
    },
  };
}

export function addGatewayCrashPoints(gateway: PartnerGateway): PartnerGateway {
  if (!isCrashPointArmed()) return gateway;
  return {
    async createSession(...args) {
      const result = await gateway.createSession(...args);
      crashPoint('provider:session-created');
      return result;
    },
    async listTransactions(query) {
      const page = await gateway.listTransactions(query);
      crashPoint('provider:page-read');
      return page;
    },
  };
}

export function addLookupCrashPoint(lookUpOrder: OrderLookup): OrderLookup {
  if (!isCrashPointArmed()) return lookUpOrder;
  return async (merchant, order) => {
    const priced = await lookUpOrder(merchant, order);
    crashPoint('shop:order-priced');
    return priced;
  };
}

export function addDeliveryCrashPoint(shop: ShopClient): Pick<ShopClient, 'deliver'> {
  if (!isCrashPointArmed()) return shop;
  return {
    async deliver(...args) {
      const status = await shop.deliver(...args);
      crashPoint('shop:event-answered');
      return status;
    },
  };
}

const ANSWERS: readonly (readonly [request: RegExp, point: string])[] = [
  [/^POST \/v1\/checkouts$/, 'create:before-answer'],
  [/^POST \/v1\/checkouts\/[^/]+\/hints$/, 'hint:before-answer'],
  [/^(GET|POST) \/v1\/return\/[^/]+$/, 'return:before-answer'],
  [/^POST \/v1\/webhooks\/[^/]+$/, 'webhook:before-answer'],
];

/** Adds the crash points right before an answer that is no error. */
export const addAnswerCrashPoints: RequestHandler = (request, response, next) => {
  const line = `${request.method} ${request.path}`;
  const point = ANSWERS.find(([pattern]) => pattern.test(line))?.[1];
  if (point !== undefined) {
    const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => typeof response;
    response.writeHead = (...args: unknown[]) => {
      if (response.statusCode < 400) crashPoint(point);
      return writeHead(...args);
    };
  }
  next();
};

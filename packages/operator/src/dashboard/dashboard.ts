import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Router } from 'express';
import {
  AppError,
  isSame,
  type Merchant,
  type DashboardParts,
} from '@pay-checkout/session-server/internals';
import { pageRoutes } from '../page-routes.js';
import type { SessionKey } from '../page-session.js';
import { dashboardRoutes } from './routes.js';
import { DashboardService, type DashboardSession } from './service.js';
import type { DashboardSessionView } from './view.js';

/** Where the built page is: next to the sources, or next to the built files. */
const FOLDER = join(import.meta.dirname, '../../dist/page/dashboard');

/**
 * The page of a merchant that signs in with its key, for the option `dashboard` of
 * `createSessionServer()`. It has no route of the operator, and none that names a merchant.
 */
export function createDashboard(parts: DashboardParts): Router {
  const { database, clock, config, merchants, encryption } = parts;
  const toKeys = ({ id, name }: Merchant, hash: string): SessionKey<DashboardSession>[] => {
    const about = { merchant: id, name, actor: `key-${hash.slice('sha256:'.length).slice(0, 8)}` };
    return encryption.pageSessionSecrets(hash).map((secret) => ({ secret, owner: id, about }));
  };
  return pageRoutes<DashboardSession>({
    database,
    clock,
    config,
    folder: FOLDER,
    isOffered: () => true,
    keys: {
      cookie: 'pay-dashboard',
      find: async (given) => {
        const hash = `sha256:${createHash('sha256').update(given).digest('hex')}`;
        const all = await merchants.all();
        const found = all.find(({ apiKeyHash }) => apiKeyHash.some((each) => isSame(each, hash)));
        return found && toKeys(found, hash)[0];
      },
      of: async (owner) => {
        const merchant = await merchants.find(owner);
        return merchant?.apiKeyHash.flatMap((hash) => toKeys(merchant, hash)) ?? [];
      },
    },
    toView: ({ merchant, name, actor, expiresAt }): DashboardSessionView => {
      return { merchant, name, actor, expiresAt, environment: config.environment };
    },
    problems: {
      refused: () =>
        new AppError(
          401,
          'merchant_key_refused',
          'This is no key of a merchant here. Use the one that your back end has.',
        ),
      signedOut: () => new AppError(401, 'dashboard_signed_out', 'Sign in with your key.'),
      foreign: () =>
        new AppError(403, 'dashboard_page_refused', 'Only the page itself may ask this.'),
    },
    routes: [dashboardRoutes(new DashboardService(parts), merchants)],
  });
}

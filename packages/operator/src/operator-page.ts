import { join } from 'node:path';
import type { Router } from 'express';
import {
  AppError,
  type Clock,
  type Config,
  type Database,
  fingerprintOf,
  isSame,
  type OperatorAccess,
  type Secret,
} from '@pay-checkout/session-server/internals';
import { pageRoutes } from './page-routes.js';
import type { PageSession, SessionKey } from './page-session.js';
import type { SessionView } from './page-view.js';

/** Where the built page is: next to the sources, or next to the built files. */
const FOLDER = join(import.meta.dirname, '../dist/page/operator');

export interface OperatorPageOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Without a key there is no page. */
  readonly access: Pick<OperatorAccess, 'keys' | 'consoleUrl'>;
  readonly config: Pick<Config, 'environment' | 'trustProxy'>;
  readonly routes: readonly Router[];
}

/** The operator's page, signed in to with a key of the operator. Mounted before the routes of programs. */
export function operatorPage({ access, config, ...options }: OperatorPageOptions): Router {
  const { keys, consoleUrl } = access;
  const { environment } = config;
  const toKey = (secret: Secret): SessionKey<PageSession> => {
    return { secret, owner: '', about: { actor: fingerprintOf(secret) } };
  };
  return pageRoutes<PageSession>({
    ...options,
    config,
    folder: FOLDER,
    isOffered: () => keys().length > 0,
    keys: {
      cookie: 'pay-operator',
      find: (given) => {
        const key = keys().find((each) => isSame(given, each.reveal()));
        return Promise.resolve(key && toKey(key));
      },
      of: () => Promise.resolve(keys().map(toKey)),
    },
    toView: ({ actor, expiresAt }): SessionView => {
      return { actor, expiresAt, environment, consoleUrl };
    },
    problems: {
      refused: () =>
        new AppError(401, 'operator_key_refused', 'This is none of the keys of PAY_OPERATOR_KEY.'),
      signedOut: () =>
        new AppError(401, 'operator_signed_out', 'Sign in with a key of PAY_OPERATOR_KEY.'),
      foreign: () =>
        new AppError(403, 'operator_page_refused', 'Only the operator’s page itself may ask this.'),
    },
  });
}

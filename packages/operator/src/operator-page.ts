import { join } from 'node:path';
import type { Request, Router } from 'express';
import {
  AppError,
  type Clock,
  type Config,
  type Database,
  isSame,
  type OperatorAccess,
  type OperatorKey,
  operatorOf,
} from '@pay-checkout/session-server/internals';
import { pageRoutes } from './page-routes.js';
import { type OperatorSession, SESSION_MS, type SessionKey } from './page-session.js';
import type { SessionView } from './page-view.js';

/** Where the built page is: next to the sources, or next to the built files. */
const MAX_NAME_CHARS = 100;
const FOLDER = join(import.meta.dirname, '../dist/page/operator');

export interface OperatorPageOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Without a key there is no page. */
  readonly access: Pick<OperatorAccess, 'keys' | 'people' | 'consoleUrl'>;
  readonly config: Pick<Config, 'environment' | 'trustProxy'>;
  readonly routes: readonly Router[];
}

/** The operator's page, signed in to with a key of the operator. Mounted before the routes of programs. */
export function operatorPage({ access, config, ...options }: OperatorPageOptions): Router {
  const { keys, people, consoleUrl } = access;
  const { environment } = config;
  const toKey = (key: OperatorKey): SessionKey<OperatorSession> => {
    return { secret: key.secret, owner: '', about: operatorOf(key) };
  };
  return pageRoutes<OperatorSession>({
    ...options,
    config,
    folder: FOLDER,
    isOffered: () => people !== undefined || keys().length > 0,
    letIn: people && ((request, now) => findNamed(request, people, now)),
    keys: {
      cookie: 'pay-operator',
      find: (given) => {
        const key = keys().find(({ secret }) => isSame(given, secret.reveal()));
        return Promise.resolve(key && toKey(key));
      },
      of: () => Promise.resolve(keys().map(toKey)),
    },
    toView: ({ id, actor, role, expiresAt }): SessionView => {
      return { actor, role, expiresAt, environment, consoleUrl, isNamedByProxy: id === '' };
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

/** The person whom the header of a trusted proxy names: anyone else could send it as well. */
function findNamed(
  { app, headers, socket }: Request,
  { header, users }: NonNullable<OperatorAccess['people']>,
  now: number,
): OperatorSession | undefined {
  const name = headers[header];
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  if (typeof name !== 'string' || name === '' || !isTrusted(socket.remoteAddress ?? '', 0)) {
    return undefined;
  }
  const role = users.get(name.toLowerCase()) ?? users.get('*');
  if (role === undefined || name.length > MAX_NAME_CHARS) {
    throw new AppError(
      403,
      'operator_user_refused',
      'The proxy names someone who is not in PAY_OPERATOR_USERS.',
    );
  }
  return { id: '', actor: name, role, expiresAt: now + SESSION_MS };
}

import express, { Router } from 'express';
import { ApiError } from '../http/errors.js';
import { ACCOUNT_ROUTES } from './account-routes.js';
import { FAULT_ROUTES } from './fault-routes.js';
import { requireOwnPage } from './guard.js';
import { REQUEST_ROUTES } from './request-routes.js';
import { addRoutes, type ControlRoute } from './route.js';
import type { SandboxControl } from './sandbox-control.js';
import { SANDBOX_ROUTES } from './sandbox-routes.js';
import { SESSION_ROUTES } from './session-routes.js';
import { SWITCH_ROUTES } from './switch-routes.js';
import { TRANSACTION_ROUTES } from './transaction-routes.js';
import { WEBHOOK_ROUTES } from './webhook-routes.js';

/** Every route below `/_sandbox`: what is registered, and what `/openapi.json` describes. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  ...SESSION_ROUTES,
  ...TRANSACTION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...REQUEST_ROUTES,
  ...FAULT_ROUTES,
  ...SWITCH_ROUTES,
  ...ACCOUNT_ROUTES,
  ...SANDBOX_ROUTES,
];

/**
 * `/_sandbox/…`: the control API over HTTP. It has no key, because the sandbox listens only on your
 * own machine. Bodies must be JSON, and a web page of another origin is refused.
 */
export function controlRoutes(control: SandboxControl): Router {
  const router = Router();
  router.use((request, _response, next) => {
    const hasBody = Number(request.get('content-length') ?? 0) > 0;
    if (hasBody && !request.is('application/json')) {
      throw new ApiError(415, 'Send the body as JSON, with Content-Type: application/json.');
    }
    next();
  });
  router.use(requireOwnPage);
  router.use(express.json());
  addRoutes(router, CONTROL_ROUTES, control);
  return router;
}

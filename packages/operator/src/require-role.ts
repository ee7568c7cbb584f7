import type { RequestHandler, Response } from 'express';
import { AppError, mayAs, type Operator, type Role } from '@pay-checkout/session-server/internals';

/** Lets in those with a role or with one that may do more: people of the page, and programs. */
export function requireRole(wanted: Role): RequestHandler {
  return (_request, response, next) => {
    const { actor, role } = whoAsks(response);
    if (!mayAs(role, wanted)) {
      throw new AppError(
        403,
        'operator_role_refused',
        `This needs the role "${wanted}"; ${actor} has "${role}".`,
      );
    }
    next();
  };
}

/** Only within the routes of the page or of programs. */
export function whoAsks({ locals }: Response): Operator {
  return (locals['session'] ?? locals['operator']) as Operator;
}

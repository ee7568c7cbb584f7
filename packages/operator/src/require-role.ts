import type { RequestHandler, Response } from 'express';
import { AppError, mayAs, type Operator, type Role } from '@pay-checkout/session-server/internals';

/** Lets in whoever may do what is for a role: people of the page, and programs. */
export function requireRole(wanted: Role): RequestHandler {
  return (_request, response, next) => {
    const { actor, role } = operatorOf(response);
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

/** Who asks. */
function operatorOf({ locals }: Response): Operator {
  return (locals['session'] ?? locals['operator']) as Operator;
}

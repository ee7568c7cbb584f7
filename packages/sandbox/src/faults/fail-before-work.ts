import type { Response } from 'express';
import { ApiError } from '../api/api-error.js';
import { sendGatewayPage } from '../pages/gateway-page.js';
import type { FaultOrder } from './fault-order.js';

/** Plays a fault that comes before any work. @returns whether that was the answer. */
export function failBeforeWork(fault: FaultOrder, response: Response): boolean {
  switch (fault.fault) {
    case 'error':
      throw makeError(fault);
    case 'html':
      sendGatewayPage(response, fault.status ?? 502);
      return true;
    case 'redirect':
      response.redirect(fault.status ?? 302, fault.location ?? 'https://elsewhere.example/login');
      return true;
    case 'drop-before-work':
      response.destroy();
      return true;
    default:
      return false;
  }
}

function makeError(fault: FaultOrder): ApiError {
  const status = fault.status ?? 500;
  const pauseSeconds =
    fault.retryAfterSeconds ?? (status === 429 || status === 503 ? 1 : undefined);
  const message = 'This failure was ordered through the control routes.';
  if (pauseSeconds === undefined) return new ApiError(status, message);
  const retryAfter =
    fault.retryAfterAs === 'date' ? writeHttpDate(pauseSeconds) : String(pauseSeconds);
  return new ApiError(status, message, { retryAfter });
}

/** An HTTP date has no fractions of a second: rounded up, so that nobody comes too early. */
function writeHttpDate(secondsFromNow: number): string {
  return new Date(Math.ceil(Date.now() / 1000 + secondsFromNow) * 1000).toUTCString();
}

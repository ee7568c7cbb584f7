import type { RequestHandler } from 'express';
import type { OnStep } from '../crash-points.js';

const ANSWERS: readonly (readonly [request: RegExp, point: string])[] = [
  [/^POST \/v1\/checkouts$/, 'create:before-answer'],
  [/^POST \/v1\/checkouts\/[^/]+\/hints$/, 'hint:before-answer'],
  [/^(GET|POST) \/v1\/return\/[^/]+$/, 'return:before-answer'],
  [/^POST \/v1\/webhooks\/[^/]+$/, 'webhook:before-answer'],
];

/** Reports the steps right before an answer that is no error: a test hook. */
export const reportAnswers =
  (onStep: OnStep): RequestHandler =>
  (request, response, next) => {
    const line = `${request.method} ${request.path}`;
    const point = ANSWERS.find(([pattern]) => pattern.test(line))?.[1];
    if (point !== undefined) {
      const writeHead = response.writeHead.bind(response) as (
        ...args: unknown[]
      ) => typeof response;
      response.writeHead = (...args: unknown[]) => {
        if (response.statusCode < 400) onStep(point);
        return writeHead(...args);
      };
    }
    next();
  };

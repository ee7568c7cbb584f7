import type { ErrorRequestHandler } from 'express';
import { languageFor, type PageText } from '../languages.js';
import type { Logger } from '../logger.js';
import { logError, toAppError } from './errors.js';
import { sendNotice } from './page.js';

/** What a person reads when a route of pages fails. */
export interface ErrorPages {
  /** For a failure of ours. Its page tries again. */
  readonly failed: PageText;
  /** For an address that is wrong. */
  readonly refused: { readonly title: PageText; readonly text: PageText };
}

/** Long enough for a database that restarts, short enough for someone who has just paid. */
const RETRY_SECONDS = 5;

/** Answers a person's browser, which prefers HTML, with a page; everyone else is answered with data. */
export function errorPages(logger: Logger, pages: ErrorPages): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent || request.accepts(['json', 'html']) !== 'html') {
      next(error);
      return;
    }
    const known = toAppError(error);
    const { status, retryAfterSeconds: seconds = RETRY_SECONDS } = known;
    logError(logger, known, request, response);
    const language = languageFor(request, response);
    response.status(status).vary('accept');
    if (status < 500) {
      sendNotice(response, { language, ...pages.refused });
      return;
    }
    // Without script, also in a frame; after a POST it is a GET.
    response.set({ refresh: String(seconds), 'retry-after': String(seconds) });
    // The merchant is not known, and it may be the frame of any: the page holds nothing.
    sendNotice(response, { language, title: pages.failed, text: 'retrying' }, ['*']);
  };
}

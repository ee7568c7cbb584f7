import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from './scripted-server.ts';

/** A page that a test wrote, and the Content Security Policy that it is served under. */
export interface WrittenPage {
  readonly html: string;
  readonly policy?: string;
}

/** What this middleware uses of a Koa context. */
interface Context {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  status: number;
  type: string;
  body: unknown;
}

const pages = new Map<string, WrittenPage>();

/** Pages of merchants at `/pages/{id}`: a test writes one with POST, a browser reads it with GET. */
export async function pageMiddleware(context: Context, next: () => Promise<void>): Promise<void> {
  const [, id] = /^\/pages\/([\w-]+)$/.exec(context.path) ?? [];
  if (id === undefined) return next();
  context.status = 200;
  if (context.req.method === 'POST') {
    pages.set(id, (await readJson(context.req)) as WrittenPage);
    context.body = '';
    return;
  }
  const { html = '', policy } = pages.get(id) ?? {};
  if (policy) context.res.setHeader('content-security-policy', policy);
  context.type = 'html';
  context.body = html;
}

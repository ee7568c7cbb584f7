import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, ScriptedServer } from './scripted-server.ts';

/** What this middleware uses of a Koa context. */
interface Context {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  status: number;
  type: string;
  body: unknown;
}

/** What a server answers; the other paths are files. */
const ROUTE = /^\/(v1\/|(control|sdk\.js|page|loader|return)$)/;

/** Longer than any test: what is held back comes when the test says so. */
const HOLD_MS = 300_000;

const servers = new Map<string, ScriptedServer>();

/**
 * Serves a session server for each test, at an origin of its own, `{id}.localhost`, and at
 * `/test-server/{id}`: its routes, an SDK's script, a return page, and `/control`, with which the test
 * sets the answers and reads the requests.
 */
export async function serverMiddleware(context: Context, next: () => Promise<void>): Promise<void> {
  const [, host] = /^([\w-]+)\.localhost:/.exec(context.req.headers.host ?? '') ?? [];
  const [, id = host ?? 'root', path = context.path] =
    /^\/test-server\/([\w-]+)(\/.*)$/.exec(context.path) ?? [];
  if (!ROUTE.test(path)) return next();
  const server = servers.get(id) ?? new ScriptedServer();
  servers.set(id, server);
  const { origin } = context.req.headers;
  if (host && origin && origin !== 'null') {
    context.res.setHeader('access-control-allow-origin', '*');
    context.res.setHeader('access-control-allow-headers', 'content-type');
  }
  context.status = 200;
  if (context.req.method === 'OPTIONS') {
    server.seen.push({ method: 'OPTIONS', path, query: '', body: undefined });
    context.body = '';
  } else await answer(context, server, path);
}

async function answer(context: Context, server: ScriptedServer, path: string): Promise<void> {
  const method = context.req.method ?? 'GET';
  if (path === '/control') {
    if (method === 'POST') server.set((await readJson(context.req)) as object);
    context.body = server.seen;
    return;
  }
  const body = method === 'POST' ? await readJson(context.req) : undefined;
  const query = new URL(context.req.url ?? '/', 'http://server').search;
  server.seen.push({ method, path, query, body });
  if (path === '/v1/checkout-config') {
    await server.until(() => !server.script.holdConfig, HOLD_MS);
    return reply(context, server.script.config);
  }
  if (path.startsWith('/v1/languages/')) {
    await server.until(() => !server.script.holdLanguages, HOLD_MS);
    const texts = textsIn(path.slice('/v1/languages/'.length));
    return reply(context, { status: server.script.hasLanguages ? 200 : 503, body: texts });
  }
  if ((body as { preview?: boolean } | undefined)?.preview) {
    await server.until(() => !server.script.holdPreview, HOLD_MS);
    return reply(context, server.script.preview ?? { status: 503, body: {} });
  }
  if (path === '/v1/checkouts' && method === 'POST') return answerOpen(context, server);
  if (path === '/v1/checkouts') return answerStatus(context, server);
  if (path.endsWith('/hints')) {
    await server.until(() => !server.script.holdHints, HOLD_MS);
    if (server.takeFault('hints')) return breakConnection(context);
    return reply(context, { status: 200, body: {} });
  }
  if (path === '/sdk.js') return answerSdk(context, server);
  if (path === '/page') return answerPage(context, server);
  if (path === '/loader') return answerLoader(context, server);
  if (path === '/return') return answerReturn(context);
  if (path.startsWith('/v1/pay/')) {
    if (server.script.keepsPage) return void (context.status = 204);
    context.type = 'html';
    context.body = `<!doctype html><title>Payment page</title>
      <script>opener?.postMessage({ type: 'pay-checkout:hello' }, '*');</script>`;
    return;
  }
  context.status = 404;
}

function reply(context: Context, answer: { status: number; body: unknown } | undefined): void {
  context.status = answer?.status ?? 404;
  context.type = 'application/json';
  context.body = JSON.stringify(answer?.body ?? { code: 'not_scripted' });
}

const LANGUAGES = new URL('../../session-server/languages/', import.meta.url);

/** What the session server answers about a language. */
function textsIn(tag: string): object {
  const name = `${tag.slice(0, 2).toLowerCase()}.json`;
  if (!/^..(-|$)/.test(tag) || !readdirSync(LANGUAGES).includes(name)) return {};
  const text = readFileSync(new URL(name, LANGUAGES), 'utf8');
  const { locale, dir, element } = JSON.parse(text) as {
    locale: string;
    dir: string;
    element: object;
  };
  return { locale, dir, ...element };
}

async function answerOpen(context: Context, server: ScriptedServer): Promise<void> {
  if (server.takeFault('open')) return breakConnection(context);
  await server.until(() => !server.script.holdOpen, HOLD_MS);
  const answers = server.script.open ?? [];
  reply(context, answers.length > 1 ? answers.shift() : answers[0]);
}

async function answerStatus(context: Context, server: ScriptedServer): Promise<void> {
  await server.until(() => !server.script.holdStatus, HOLD_MS);
  if (server.takeFault('status')) return breakConnection(context);
  if (server.script.statusReply) return reply(context, server.script.statusReply);
  const wanted = [context.query.id ?? []].flat().map((one) => one.split(':'));
  const statuses = () => [server.script.status ?? [], server.script.others ?? []].flat();
  const known = () =>
    wanted.flatMap(([id]) => statuses().filter(({ checkout }) => checkout === id));
  const isNews = () =>
    known().some((one) =>
      wanted.some(([id, at]) => id === one.checkout && one.revision > Number(at)),
    );
  const waitMs = known().length === 0 ? 0 : Number(context.query.wait ?? 0) * 1000;
  await server.until(() => server.script.lags === true || isNews(), waitMs);
  reply(context, { status: 200, body: { checkouts: known() } });
}

/** An SDK in the named global: it records the options of each call, and mounts one button. */
async function answerSdk(context: Context, server: ScriptedServer): Promise<void> {
  if (server.takeFault('sdk')) return breakConnection(context);
  if (server.script.sdk === 'missing') return reply(context, undefined);
  if (server.script.sdk === 'failing') return reply(context, { status: 503, body: {} });
  await server.until(() => server.script.sdk !== 'silent', HOLD_MS);
  const name = JSON.stringify(String(context.query.global));
  if (server.script.sharesSdk) context.res.setHeader('access-control-allow-origin', '*');
  context.type = 'application/javascript';
  context.body =
    server.script.sdk === 'empty'
      ? ''
      : `{
    const sdk = (globalThis[${name}] = { calls: [], destroyed: 0, fails: 0 });
    sdk.configure = (options) => {
      sdk.calls.push(options);
      if (sdk.fails > 0) return Promise.reject(new Error('refused ' + sdk.fails--));
      const container = document.querySelector(options.container);
      const button = document.createElement('button');
      button.textContent = 'Card number';
      container.append(button);
      return Promise.resolve({ destroy: () => sdk.destroyed++ });
    };
  }`;
}

/** A merchant's page with a policy, under which an SDK from elsewhere may not run. */
function answerPage(context: Context, server: ScriptedServer): void {
  const own = `http://${context.req.headers.host ?? ''}/packages/`;
  const policy = `script-src ${server.script.forbidsSdk ? own : "'self'"}`;
  context.type = 'html';
  context.body = `<!doctype html><meta http-equiv="content-security-policy" content="${policy}">
    <title>A page with a policy</title>
    <script src="/packages/widget/dist/pay-checkout.js"></script>`;
}

/** A page with nothing but the loader, under the policy that the test wrote. */
function answerLoader(context: Context, server: ScriptedServer): void {
  const { policy = '', reportOnlyPolicy = '' } = server.script;
  context.res.setHeader('content-security-policy', policy);
  context.res.setHeader('content-security-policy-report-only', reportOnlyPolicy);
  context.type = 'html';
  context.body = `<!doctype html><title>A page of the loader's own</title>
    <script type="module" src="/packages/widget/test-server/loader-page.ts"></script>`;
}

/** The server's return page, with the very script that the server sends. */
function answerReturn(context: Context): void {
  const checkout = String(context.query.checkout);
  // The pages of the tests are at `localhost` itself.
  const origin = `http://${context.req.headers.host?.replace(/^.+\.(?=localhost:)/, '') ?? ''}`;
  context.type = 'html';
  context.body = `<!doctype html>
    <html data-checkout="${checkout}" data-kind="return" data-origins="https://shop.example ${origin}">
    <title>Return</title><body><a id="onward" target="_top" href="/">Continue</a>
    <script src="/packages/session-server/assets/return.js"></script>`;
}

/** Breaks the connection in the middle of the answer, so that no browser repeats the request. */
function breakConnection(context: Context): void {
  Object.assign(context, { respond: false });
  const { res } = context;
  res.writeHead(200, { 'content-length': 100, 'cache-control': 'no-store' });
  res.write('{', () => res.destroy());
}

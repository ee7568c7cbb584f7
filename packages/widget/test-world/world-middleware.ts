import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson, World } from './world.ts';

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

const worlds = new Map<string, World>();

/**
 * Serves one world for each test at `/world/{id}`: the session server's routes, an SDK's script, a
 * return page, and `/control`, with which the test writes the script and reads what was asked.
 */
export async function worldMiddleware(context: Context, next: () => Promise<void>): Promise<void> {
  const [, id, path] = /^\/world\/([\w-]+)(\/.*)$/.exec(context.path) ?? [];
  const isServedAtRoot = context.path.startsWith('/v1/');
  if (!isServedAtRoot && (id === undefined || path === undefined)) return next();
  const name = id ?? 'root';
  const world = worlds.get(name) ?? new World();
  worlds.set(name, world);
  context.status = 200;
  await answer(context, world, path ?? context.path);
}

async function answer(context: Context, world: World, path: string): Promise<void> {
  const method = context.req.method ?? 'GET';
  if (path === '/control') {
    if (method === 'POST') world.write((await readJson(context.req)) as object);
    context.body = world.seen;
    return;
  }
  const body = method === 'POST' ? await readJson(context.req) : undefined;
  const query = new URL(context.req.url ?? '/', 'http://world').search;
  world.seen.push({ method, path, query, body });
  if (path === '/v1/checkout-config') {
    await world.until(() => !world.script.holdConfig, 10_000);
    return reply(context, world.script.config);
  }
  if (path === '/v1/checkouts' && method === 'POST') return answerOpen(context, world);
  if (path === '/v1/checkouts') return answerStatus(context, world);
  if (path.endsWith('/hints')) {
    await world.until(() => !world.script.holdHints, 10_000);
    return reply(context, { status: 200, body: {} });
  }
  if (path === '/sdk.js') return answerSdk(context, world);
  if (path === '/page') return answerPage(context, world);
  if (path === '/loader') return answerLoader(context, world);
  if (path === '/return') return answerReturn(context);
  if (path.startsWith('/v1/pay/')) {
    context.type = 'html';
    context.body = '<!doctype html><title>Payment page</title>';
    return;
  }
  context.status = 404;
}

function reply(context: Context, said: { status: number; body: unknown } | undefined): void {
  context.status = said?.status ?? 404;
  context.type = 'application/json';
  context.body = JSON.stringify(said?.body ?? { code: 'not_scripted' });
}

async function answerOpen(context: Context, world: World): Promise<void> {
  if (world.takeFault('open')) return breakConnection(context);
  await world.until(() => !world.script.holdOpen, 10_000);
  const answers = world.script.open ?? [];
  reply(context, answers.length > 1 ? answers.shift() : answers[0]);
}

async function answerStatus(context: Context, world: World): Promise<void> {
  await world.until(() => !world.script.holdStatus, 10_000);
  if (world.takeFault('status')) return breakConnection(context);
  if (world.script.statusReply) return reply(context, world.script.statusReply);
  const asked = [context.query.id ?? []].flat().map((one) => one.split(':'));
  const statuses = () => [world.script.status ?? [], world.script.others ?? []].flat();
  const known = () => asked.flatMap(([id]) => statuses().filter(({ checkout }) => checkout === id));
  const isNews = () =>
    known().some((one) =>
      asked.some(([id, at]) => id === one.checkout && one.revision > Number(at)),
    );
  const waitMs = known().length === 0 ? 0 : Number(context.query.wait ?? 0) * 1000;
  await world.until(() => world.script.lags === true || isNews(), waitMs);
  reply(context, { status: 200, body: { checkouts: known() } });
}

/** An SDK in the named global: it keeps the options of each call, and draws one button. */
async function answerSdk(context: Context, world: World): Promise<void> {
  if (world.takeFault('sdk')) return breakConnection(context);
  if (world.script.sdk === 'missing') return reply(context, undefined);
  if (world.script.sdk === 'failing') return reply(context, { status: 503, body: {} });
  await world.until(() => world.script.sdk !== 'silent', 30_000);
  const name = JSON.stringify(String(context.query.global));
  if (world.script.sharesSdk) context.res.setHeader('access-control-allow-origin', '*');
  context.type = 'application/javascript';
  context.body =
    world.script.sdk === 'empty'
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
function answerPage(context: Context, world: World): void {
  const own = `http://${context.req.headers.host ?? ''}/packages/`;
  const policy = `script-src ${world.script.forbidsSdk ? own : "'self'"}`;
  context.type = 'html';
  context.body = `<!doctype html><meta http-equiv="content-security-policy" content="${policy}">
    <title>A page with a policy</title>
    <script src="/packages/widget/dist/pay-checkout.js"></script>`;
}

/** A page with nothing but the loader, under the policy that the test wrote. */
function answerLoader(context: Context, world: World): void {
  const { policy = '', reportOnlyPolicy = '' } = world.script;
  context.res.setHeader('content-security-policy', policy);
  context.res.setHeader('content-security-policy-report-only', reportOnlyPolicy);
  context.type = 'html';
  context.body = `<!doctype html><title>A page of the loader's own</title>
    <script type="module" src="/packages/widget/test-world/loader-page.ts"></script>`;
}

/** The server's return page, with the very script that the server sends. */
function answerReturn(context: Context): void {
  const checkout = String(context.query.checkout);
  const origin = `http://${context.req.headers.host ?? ''}`;
  context.type = 'html';
  context.body = `<!doctype html>
    <html data-checkout="${checkout}" data-kind="return" data-origins="https://shop.example ${origin}">
    <title>Return</title><body><a id="onward" target="_top" href="/">Continue</a>
    <script src="/packages/session-server/assets/return.js"></script>`;
}

/** What a shopper's bad phone does: the answer breaks off, so that no browser asks again by itself. */
function breakConnection(context: Context): void {
  Object.assign(context, { respond: false });
  const { res } = context;
  res.writeHead(200, { 'content-length': 100, 'cache-control': 'no-store' });
  res.write('{', () => res.destroy());
}

// One run of one contestant: iterates over a list and reports time, rows and peak memory.
import { performance } from 'node:perf_hooks';

const [, , name, url, totalText] = process.argv;
const total = Number(totalText);

/** The client with the transport for where there is no Node. */
async function loadByFetch() {
  const { FetchTransport } = await import('@pay-checkout/partner-api');
  return loadClient('warn', 'rows', new FetchTransport());
}

/** What a developer would write by hand: no checks, no repetition, no time limit. */
async function loadPlain() {
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent();
  return async (rows) => {
    let count = 0;
    let cursor;
    for (;;) {
      const { body } = await request(`${url}/v1/transactions/list`, {
        method: 'POST',
        dispatcher,
        headers: { api_key: 'bench', 'content-type': 'application/json' },
        body: JSON.stringify({ limit: 1_000, resellerId: rows, ...(cursor && { cursor }) }),
      });
      const { data, pagination } = JSON.parse(await body.text());
      for (const row of data.transactions) if (row.id !== undefined) count += 1;
      if (!pagination.hasMore) return count;
      cursor = pagination.nextCursor;
    }
  };
}

async function loadClient(validation, way, transport) {
  const { PartnerClient } = await import('@pay-checkout/partner-api');
  const client = new PartnerClient({ apiKey: 'bench', baseUrl: url, validation, transport });
  return async (rows) => {
    let count = 0;
    const params = { limit: 1_000, resellerId: rows };
    if (way === 'rows') {
      for await (const row of client.transactions.iterate(params))
        if (row.id !== undefined) count += 1;
      return count;
    }
    for await (const page of client.transactions.pages(params)) {
      for (const row of page.data.transactions) if (row.id !== undefined) count += 1;
    }
    return count;
  };
}

const run = await {
  plain: loadPlain,
  client: () => loadClient('warn', 'rows'),
  'client-fetch': loadByFetch,
  'client-pages': () => loadClient('warn', 'pages'),
  'client-off': () => loadClient('off', 'rows'),
  'client-strict': () => loadClient('strict', 'rows'),
}[name]();

await run(Math.min(total, 20_000));
const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const counted = await run(total);
const milliseconds = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
if (counted !== total) throw new Error(`${name} counted ${counted} rows of ${total}`);
process.send({
  milliseconds,
  cpuMilliseconds: (user + system) / 1_000,
  peakBytes: process.resourceUsage().maxRSS * 1_024,
});
process.disconnect();
process.exit();

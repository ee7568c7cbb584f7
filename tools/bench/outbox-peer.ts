/**
 * Events that pg-boss keeps, signed and sent to a shop until it acknowledges them: what an engineer
 * would take instead of an outbox of their own. It does not keep the order of one checkout's events,
 * gives no shop a place of its own and logs no try.
 */
import { PgBoss } from 'pg-boss';
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';
import { BENCH_SIGNING_SECRET } from './merchant.ts';
import { type OutboxJob, OUTBOX_QUEUE } from './measure-outbox.ts';
import { reportToParent } from './report.ts';

const boss = new PgBoss(process.env['DATABASE_URL'] ?? '');
const agent = new Agent();
const webhook = new Webhook(BENCH_SIGNING_SECRET);
const eventsUrl = process.env['BENCH_EVENTS_URL'] ?? '';

await boss.start();
await boss.createQueue(OUTBOX_QUEUE, { retryLimit: 20, retryBackoff: true });
const options = {
  ...{ batchSize: 50, localConcurrency: 4, burstWhenBatchFull: true, perJobResults: true },
  pollingIntervalSeconds: 0.5,
} as const;
await boss.work<OutboxJob, unknown, typeof options>(OUTBOX_QUEUE, options, (jobs) =>
  Promise.all(
    jobs.map(
      async ({ id, data }) =>
        ({ id, status: (await deliver(id, data)) ? 'completed' : 'failed' }) as const,
    ),
  ),
);
reportToParent(0, () => boss.stop());

async function deliver(id: string, { body }: OutboxJob): Promise<boolean> {
  const now = new Date();
  const { statusCode, body: reply } = await agent.request({
    ...{
      origin: new URL(eventsUrl).origin,
      path: new URL(eventsUrl).pathname,
      method: 'POST',
      body,
    },
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign(id, now, body),
    },
    headersTimeout: 15_000,
  });
  await reply.dump();
  return statusCode < 300;
}

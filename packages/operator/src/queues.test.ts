import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { askAsPage, OPERATOR_ENV, signIn } from '../../session-server/src/testing/page-browser.js';
import { PuttingShop } from '../../session-server/src/testing/putting-shop.js';
import type { QueueView } from './page-view.js';
import { describeQueues } from './queues.contract.js';
import { startOnSqlite } from './testing/page-under-test.js';

describeQueues('SQLite', startOnSqlite);

it('has the unmatched webhooks of a merchant’s endpoints, and none of those of others', async () => {
  const token = 'token-of-an-endpoint';
  const tokenHash = `sha256:${createHash('sha256').update(token).digest('hex')}`;
  const webhookEndpoints = [{ tokenHash, paths: { orderId: 'order_id' } }];
  const shop = await PuttingShop.start({ env: OPERATOR_ENV, merchant: { webhookEndpoints } });
  const cookie = await signIn(shop.stack);
  await shop.stack.post(`/v1/webhooks/${token}`, { order_id: '4711' });
  const of = async (merchant: string) => {
    const path = `/page/queues/unmatched-webhooks?merchant=${merchant}`;
    return (await askAsPage<QueueView>(shop.stack, path, { headers: { cookie } })).body.items
      .length;
  };
  await expect.poll(() => of('teashop')).toBe(1);
  expect(await of('bakery')).toBe(0);
  await shop.stack.close();
});

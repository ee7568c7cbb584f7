import { OPERATOR_ENV } from '../../session-server/src/testing/page-browser.js';
import { createTestDatabase } from '../../session-server/src/testing/postgres-store.js';
import { PuttingShop } from '../../session-server/src/testing/putting-shop.js';
import { describeOperatorPage } from './page-data.contract.js';

const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;

describeOperatorPage('PostgreSQL', async () => {
  const database = await createTestDatabase();
  const env = { ...OPERATOR_ENV, DATABASE_URL: database.url, PAY_ENCRYPTION_KEY };
  const shop = await PuttingShop.start({ env });
  return {
    shop,
    execute: (statement) => database.query(statement),
    async remove() {
      await shop.stack.close();
      await database.drop();
    },
  };
});

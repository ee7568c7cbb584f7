import { createTestDatabase } from '../../../session-server/src/testing/postgres-store.js';
import { PuttingShop } from '../../../session-server/src/testing/putting-shop.js';
import { describeDashboard, DASHBOARD_ENV } from './dashboard.contract.js';

const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;

const start = async () => {
  const database = await createTestDatabase();
  const env = { ...DASHBOARD_ENV, DATABASE_URL: database.url, PAY_ENCRYPTION_KEY };
  const shop = await PuttingShop.start({ env });
  return {
    shop,
    async remove() {
      await shop.stack.close();
      await database.drop();
    },
  };
};

describeDashboard('PostgreSQL', start, false);

import { PuttingShop } from '../../../session-server/src/testing/putting-shop.js';
import { describeDashboard, DASHBOARD_ENV } from './dashboard.contract.js';

const start = async () => {
  const shop = await PuttingShop.start({ env: DASHBOARD_ENV });
  return { shop, remove: () => shop.stack.close() };
};

describeDashboard('SQLite', start, true);

import { DatabaseSync } from 'node:sqlite';
import { OPERATOR_ENV } from '../../session-server/src/testing/page-browser.js';
import { PuttingShop } from '../../session-server/src/testing/putting-shop.js';
import { describeOperatorPage } from './page-data.contract.js';

describeOperatorPage('SQLite', async () => {
  const shop = await PuttingShop.start({ env: OPERATOR_ENV });
  return {
    shop,
    execute(statement) {
      const database = new DatabaseSync(shop.stack.databaseFile);
      database.exec(statement);
      database.close();
      return Promise.resolve();
    },
    remove: () => shop.stack.close(),
  };
});

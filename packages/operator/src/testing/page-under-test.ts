import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach } from 'vitest';
import {
  askAsPage,
  OPERATOR_ENV,
  type PageAnswer,
  signIn,
} from '../../../session-server/src/testing/page-browser.js';
import { createTestDatabase } from '../../../session-server/src/testing/postgres-store.js';
import { PuttingShop } from '../../../session-server/src/testing/putting-shop.js';
import type { AuditView, OrderView, PageOf, Queue, QueueView } from '../page-view.js';
import { describeEntry } from '../timeline-words.js';

export interface StartedPage {
  readonly shop: PuttingShop;
  /** Changes rows as time would. */
  execute(statement: string): Promise<unknown>;
  remove(): Promise<void>;
}

export type StartPage = () => Promise<StartedPage>;

/** The operator's page of a server of its own for each test, with a person who has signed in. */
export class PageUnderTest {
  #started!: StartedPage;
  #cookie = '';

  constructor(start: StartPage) {
    beforeEach(async () => {
      this.#started = await start();
      await this.signIn();
    });
    afterEach(() => this.#started.remove());
  }

  get shop(): PuttingShop {
    return this.#started.shop;
  }

  get cookie(): string {
    return this.#cookie;
  }

  async signIn(): Promise<void> {
    this.#cookie = await signIn(this.shop.stack);
  }

  execute(statement: string): Promise<unknown> {
    return this.#started.execute(statement);
  }

  read = async <T>(path: string): Promise<T> => {
    const headers = { cookie: this.#cookie };
    return (await askAsPage<T>(this.shop.stack, `/page/${path}`, { headers })).body;
  };

  send = (path: string, body: object = {}): Promise<PageAnswer<object>> =>
    askAsPage<object>(this.shop.stack, `/page/${path}`, {
      ...{ method: 'POST', body },
      headers: { cookie: this.#cookie },
    });

  order = (id: string) => this.read<OrderView>(`orders/teashop/${id}`);

  queue = (id: Queue, cursor?: string) =>
    this.read<QueueView>(`queues/${id}${cursor ? `?cursor=${cursor}` : ''}`);

  audit = async () => (await this.read<PageOf<AuditView>>('audit')).items;

  /** What happened to an order, oldest first, without ids. */
  steps = async (id: string) =>
    (await this.order(id)).entries
      .toReversed()
      .map((entry) =>
        describeEntry(entry).replace(
          /\b[\da-f]{8}-[\da-f-]{27}\b|\b(msg_|txn_)[\w-]+|\b\d{6,}\b|A\d+\.\d+/g,
          '…',
        ),
      );

  hint = (checkout: string, kind: string, sessionId?: string): Promise<unknown> =>
    this.shop.stack.post(`/v1/checkouts/${checkout}/hints`, { kind, sessionId });

  /** An order that was cancelled, and paid in spite of it: a person has to look. */
  payLate = async (id: string) => {
    const { stack } = this.shop;
    const { checkout, sessionId = '' } = await this.shop.putAndOpen(id);
    await stack.fetch(stack.returnPath(sessionId, 'CancelUrl'));
    await stack.payAtProvider(sessionId);
    await this.hint(checkout, 'shown');
    // Past the pause after the poll for the way back.
    stack.advance(120);
    await stack.until(checkout, 'paid');
    return { checkout, sessionId };
  };
}

export const startOnSqlite: StartPage = async () => {
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
};

const PAY_ENCRYPTION_KEY = `test:${Buffer.alloc(32, 1).toString('base64')}`;

export const startOnPostgres: StartPage = async () => {
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
};

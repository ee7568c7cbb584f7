import type { MerchantOrder, Problem, PutOrderReply } from '../contract.js';
import { TestStack, type TestStackOptions } from './test-stack.js';

export const PRICE = { amount: '9.99', currency: 'GBP' };

/** A shop that puts its orders. */
export class PuttingShop {
  readonly stack: TestStack;

  private constructor(stack: TestStack) {
    this.stack = stack;
  }

  static async start({ merchant, ...options }: TestStackOptions = {}): Promise<PuttingShop> {
    const entry = { orderLookup: undefined, orderTokenSecret: undefined, ...merchant };
    return new PuttingShop(await TestStack.start({ ...options, merchant: entry }));
  }

  ask<T>(method: string, path: string, body?: unknown, key = this.stack.merchantKey) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return this.stack.fetch<T & Problem>(`/v1/merchant/${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  put(order: string, body: unknown = PRICE) {
    return this.ask<PutOrderReply>('PUT', `orders/${order}`, body);
  }

  makeVoid(order: string) {
    return this.ask<{ order: string }>('DELETE', `orders/${order}`);
  }

  async get(order: string) {
    return (await this.ask<MerchantOrder>('GET', `orders/${order}`)).body;
  }

  /** Opens the order with a fresh token, as its page does. */
  open({ order, orderToken }: { readonly order: string; readonly orderToken: string }, more = {}) {
    return this.stack.reopen(order, { orderToken, ...more });
  }

  async putAndOpen(order: string, body: unknown = PRICE) {
    return (await this.open((await this.put(order, body)).body)).body;
  }

  /** What the provider knows of who paid an order. */
  payer(order: string): string {
    const rows = this.stack.sandbox.control.transactions().map(({ row }) => row);
    return JSON.stringify(rows.find(({ orderRef = '' }) => orderRef.startsWith(`${order}.`)));
  }

  async payIn(sessionId: string | undefined, checkout: string): Promise<void> {
    await this.stack.payAtProvider(sessionId ?? '');
    await this.stack.fetch(this.stack.returnPath(sessionId ?? '', 'RedirectUrl'));
    await this.stack.until(checkout, 'paid');
  }
}

import { join } from 'node:path';
import { send } from './http.ts';
import { DrillProcess } from './server.ts';

const MANIFEST = import.meta.resolve('@pay-checkout/sandbox/package.json');
const MERCHANTS = 500;
const FIRST_MERCHANT = 1001;
const CARDS = { approved: '9000000000000001', withoutWebhook: '9000000000000068' };

/** A session as the sandbox's control routes show it. */
export interface SandboxSession {
  readonly session_id: string;
  readonly merchant_id: number;
  readonly order_id: number;
  readonly MerchantReference: string;
  readonly RedirectUrl: string;
  readonly CancelUrl: string;
  readonly WebhookUrl: string;
}

/** The provider: our sandbox as a process, and what may be done to it. */
export class DrillSandbox {
  static readonly apiKey = 'key-of-the-drill';
  readonly url: string;
  readonly #process: DrillProcess;
  #nextMerchant = FIRST_MERCHANT;

  private constructor(child: DrillProcess, port: number) {
    this.#process = child;
    this.url = `http://127.0.0.1:${String(port)}`;
  }

  static async start(): Promise<DrillSandbox> {
    const program = join(new URL('.', MANIFEST).pathname, 'dist/main.js');
    const child = new DrillProcess(program, {
      SANDBOX_PORT: '0',
      SANDBOX_API_KEY: DrillSandbox.apiKey,
      SANDBOX_MERCHANTS: JSON.stringify(
        Array.from({ length: MERCHANTS }, (_, index) => ({
          id: FIRST_MERCHANT + index,
          name: 'A Drill',
          currency: 'GBP',
        })),
      ),
    });
    const { port } = await child.untilListening();
    return new DrillSandbox(child, port);
  }

  /** A merchant that is not used yet: each round has one, since it starts with an empty data file. */
  takeMerchant(): number {
    this.#nextMerchant += 1;
    return this.#nextMerchant - 1;
  }

  /**
   * Types a card that is approved into the form of a session; its webhook leaves at once, or never.
   * Answers where the form sends the shopper.
   */
  async pay(session: string, card: keyof typeof CARDS = 'approved'): Promise<string> {
    const { text } = await send(`${this.url}/pages/sessions/${session}/payments`, {
      body: { number: CARDS[card], expiry: '12/39', securityCode: '123', name: 'Drill Shopper' },
    });
    const { redirectUrl } = JSON.parse(text) as { redirectUrl?: string };
    if (redirectUrl === undefined) throw new Error(`the sandbox refused the card: ${text}`);
    return redirectUrl;
  }

  async session(id: string): Promise<SandboxSession> {
    const { sessions } = await this.#control<{ sessions: SandboxSession[] }>('sessions');
    const found = sessions.find(({ session_id: known }) => known === id);
    if (!found) throw new Error('the sandbox has no such session');
    return found;
  }

  /** Each `order_id` of a merchant of which a webhook was answered with 2xx. */
  async acknowledgedWebhooks(merchant: number): Promise<Set<number>> {
    const { sessions } = await this.#control<{ sessions: SandboxSession[] }>('sessions');
    const ours = new Set(
      sessions.filter((session) => session.merchant_id === merchant).map((s) => s.session_id),
    );
    const { deliveries } = await this.#control<{
      deliveries: { sessionId: string; orderId: number; status?: number }[];
    }>('deliveries');
    return new Set(
      deliveries
        .filter(({ sessionId, status = 0 }) => ours.has(sessionId) && status >= 200 && status < 300)
        .map(({ orderId }) => orderId),
    );
  }

  async addTransaction(row: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#control('transactions', { row });
  }

  /** The id of the transaction that names a session. */
  async transactionOf(reference: string): Promise<string> {
    const { transactions } = await this.#control<{
      transactions: { row: { id: string; orderRef?: string } }[];
    }>('transactions');
    const found = transactions.find(({ row }) => row.orderRef === reference);
    if (!found) throw new Error('the sandbox has no such transaction');
    return found.row.id;
  }

  /** Lets the list show a transaction only after this time. */
  async hide(transaction: string, seconds: number): Promise<void> {
    await this.#control(`transactions/${transaction}/visibility`, { seconds });
  }

  async refund(transaction: string): Promise<void> {
    await this.#control(`transactions/${transaction}/refund`, {});
  }

  async addFault(
    operation: 'create-session' | 'transactions-list',
    fault: 'hold' | 'drop-after-commit',
  ): Promise<void> {
    await this.#control('faults', { operation, fault });
  }

  /** Resolves when the sandbox holds a call back. */
  async untilHeld(): Promise<void> {
    while ((await this.#control<{ held: number }>('faults')).held === 0);
  }

  async releaseFaults(): Promise<void> {
    await send(`${this.url}/_sandbox/faults`, { method: 'DELETE' });
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  async #control<T>(path: string, body?: unknown): Promise<T> {
    const { status, text } = await send(`${this.url}/_sandbox/${path}`, { body });
    if (status >= 300)
      throw new Error(`the sandbox answered ${String(status)} to ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

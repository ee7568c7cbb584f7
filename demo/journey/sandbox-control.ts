/** The sandbox's control routes, as the journeys use them. */
export interface SandboxSession {
  readonly session_id: string;
  readonly order_id: number;
  readonly MerchantReference: string;
  readonly RedirectUrl: string;
  readonly CancelUrl: string;
  readonly backurl: string;
  readonly WebhookUrl: string;
  readonly merchant_id: number;
  readonly Amount: string;
}

/** The status of a failed payment in the list: the interface shows none. */
export const DECLINED = 'DECLINED';

export class SandboxControl {
  readonly #base: string;

  constructor(sandboxApi: string) {
    this.#base = `${sandboxApi}/_sandbox`;
  }

  /** The sessions that were created for one order of the shop, oldest first. */
  async sessionsOf(order: string): Promise<SandboxSession[]> {
    const { sessions } = await this.#get<{ sessions: SandboxSession[] }>('/sessions');
    return sessions.filter(({ MerchantReference: name }) => name.startsWith(`${order}.`));
  }

  /** The events of the webhooks that were sent for one order, oldest first. */
  async eventsOf(order: string): Promise<string[]> {
    const ids = (await this.sessionsOf(order)).map(({ session_id: id }) => id);
    const { deliveries } = await this.#get<{
      deliveries: { readonly sessionId: string; readonly event: string }[];
    }>('/deliveries');
    return deliveries.filter(({ sessionId }) => ids.includes(sessionId)).map(({ event }) => event);
  }

  /** What the session server sent as `SplitFee`. */
  async splitFeesOf(session: string): Promise<unknown> {
    const found = await this.#get<{ request: { SplitFee?: unknown } }>(`/sessions/${session}`);
    return found.request.SplitFee;
  }

  /** Lets the next call do its work and then wait with the answer. */
  async holdNext(operation: 'create-session' | 'transactions-list'): Promise<void> {
    await this.#send('POST', '/faults', { operation, fault: 'hold' });
  }

  /** Lets the next call do its work and then cut the connection. */
  async loseNextAnswer(operation: 'merchant-association'): Promise<void> {
    await this.#send('POST', '/faults', { operation, fault: 'drop-after-commit' });
  }

  /** Lets the next script of the SDK be a web page. */
  async breakNextScript(): Promise<void> {
    await this.#send('POST', '/faults', { operation: 'sdk-script', fault: 'html', status: 200 });
  }

  /** Lets the next card be charged, and its form get no answer. */
  async loseNextPayment(): Promise<void> {
    await this.#send('POST', '/faults', { operation: 'card-payment', fault: 'no-content' });
  }

  /** How many faults have not hit anything yet. */
  async queuedFaults(): Promise<number> {
    return (await this.#get<{ queued: unknown[] }>('/faults')).queued.length;
  }

  /** How the body of each call of an operation was framed, oldest first. */
  async framingsOf(operation: string): Promise<string[]> {
    const { requests } = await this.#get<{
      requests: { readonly operation: string; readonly framing: string }[];
    }>('/requests');
    return requests.filter((call) => call.operation === operation).map(({ framing }) => framing);
  }

  /** How many calls wait for their answer. */
  async heldCalls(): Promise<number> {
    return (await this.#get<{ held: number }>('/faults')).held;
  }

  async releaseFaults(): Promise<void> {
    await this.#send('DELETE', '/faults');
  }

  /** Lets time pass for the provider alone. */
  async passTime(advanceSeconds: number): Promise<void> {
    await this.#send('POST', '/clock', { advanceSeconds });
  }

  /** Submits the card of a scenario in a session; the shopper does not come back. */
  async pay(session: string, scenario: string): Promise<void> {
    await this.#send('POST', `/sessions/${session}/pay`, { scenario });
  }

  /** What was paid in the sessions of one order, listed or not. */
  async paymentsOf(order: string): Promise<{ readonly id: string; readonly status: string }[]> {
    const { transactions } = await this.#get<{
      transactions: {
        readonly row: { readonly id: string; readonly status: string; readonly orderRef?: string };
      }[];
    }>('/transactions');
    return transactions
      .map(({ row }) => row)
      .filter(({ orderRef }) => orderRef?.startsWith(`${order}.`))
      .filter(({ status }) => status !== DECLINED);
  }

  /** Lets the list show a payment that it held back. */
  async list(transaction: string): Promise<void> {
    await this.#send('POST', `/transactions/${transaction}/visibility`, { seconds: 0 });
  }

  /** Refunds a payment in full. */
  async refund(transaction: string): Promise<void> {
    await this.#send('POST', `/transactions/${transaction}/refund`);
  }

  /** Lets the list show a card payment that failed. */
  async listFailure({ merchant_id, Amount, MerchantReference }: SandboxSession): Promise<void> {
    const row = { merchantId: merchant_id, amount: Amount, orderRef: MerchantReference };
    await this.#send('POST', '/transactions', { row: { ...row, status: DECLINED } });
  }

  async #get<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.#base}${path}`)).json()) as T;
  }

  async #send(method: string, path: string, body?: unknown): Promise<void> {
    const response = await fetch(`${this.#base}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`the sandbox answered ${String(response.status)} to ${path}`);
  }
}

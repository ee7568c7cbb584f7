import type {
  CheckoutStatus,
  HintRequest,
  CreateCheckoutReply,
  SdkDescription,
} from '@pay-checkout/session-server/contract';
import type { SeenRequest, Script } from '../../test-server/script.js';

/** What a test sees of the SDK that its server serves. */
export interface SdkSeen {
  readonly calls: Readonly<Record<string, () => void>>[];
  destroyed: number;
  /** How many of the next calls of `configure()` are refused. */
  fails: number;
}

/** A test's own session server and SDK, over real HTTP on the test runner's server. */
export class TestServer {
  readonly id = crypto.randomUUID();
  /** Its origin, which the element is given. */
  readonly url = `http://${this.id}.localhost:${location.port}`;
  /** The same server at the origin of the test's page. */
  readonly here = `${location.origin}/test-server/${this.id}`;
  readonly checkout = checkoutId();
  readonly #global = `Sdk_${this.id.replaceAll('-', '')}`;

  get sdk(): SdkSeen {
    return (globalThis as unknown as Record<string, SdkSeen>)[this.#global] as SdkSeen;
  }

  get sdkDescription(): SdkDescription {
    return {
      url: `${this.here}/sdk.js?global=${this.#global}`,
      global: this.#global,
      argument: 'object',
      container: 'selector',
      callbacks: {
        onReady: 'shown',
        onSubmit: 'submitted',
        onDecline: 'declined',
        onError: 'error',
        onRefuse: 'refused',
        onExpire: 'expired',
      },
      origins: { script: [], frame: [], connect: [] },
    };
  }

  openReply(changes: Partial<CreateCheckoutReply> = {}): CreateCheckoutReply {
    return {
      checkout: this.checkout,
      state: 'open',
      revision: 1,
      sessionId: `session-${this.id}`,
      sdk: this.sdkDescription,
      amount: '42.50',
      currency: 'GBP',
      environment: 'sandbox',
      ...changes,
    };
  }

  status(changes: Partial<CheckoutStatus> = {}): CheckoutStatus {
    return {
      checkout: this.checkout,
      merchant: 'corner-shop',
      order: 'A1001',
      state: 'open',
      certain: false,
      revision: 1,
      refund: 'none',
      ...changes,
    };
  }

  /** Starts with a configuration and one open checkout. */
  async start(script: Script = {}): Promise<this> {
    const config = { merchant: 'corner-shop', environment: 'sandbox', sdk: this.sdkDescription };
    await this.set({
      config: { status: 200, body: config },
      open: [{ status: 200, body: this.openReply() }],
      status: { ...this.status() },
      ...script,
    });
    return this;
  }

  /** Sets what the server answers from now on. */
  async set(script: Script): Promise<void> {
    await fetch(`${this.here}/control`, { method: 'POST', body: JSON.stringify(script) });
  }

  /** The checkout changes: one revision later. */
  async setState(state: CheckoutStatus['state'], revision = 2): Promise<void> {
    await this.set({ status: { ...this.status({ state, revision }) } });
  }

  async seen(method: string, path: RegExp): Promise<SeenRequest[]> {
    const response = await fetch(`${this.here}/control`);
    const all = (await response.json()) as SeenRequest[];
    return all.filter((one) => one.method === method && path.test(one.path));
  }

  async opens(): Promise<SeenRequest[]> {
    const seen = await this.#creates();
    return seen.filter((one) => !isPreview(one));
  }

  async previews(): Promise<SeenRequest[]> {
    return (await this.#creates()).filter(isPreview);
  }

  #creates(): Promise<SeenRequest[]> {
    return this.seen('POST', /\/v1\/checkouts$/);
  }

  polls(): Promise<SeenRequest[]> {
    return this.seen('GET', /\/v1\/checkouts$/);
  }

  async hints(): Promise<unknown[]> {
    return (await this.hintBodies()).map(({ kind }) => kind);
  }

  async hintBodies(): Promise<HintRequest[]> {
    const seen = await this.seen('POST', /\/hints$/);
    return seen.map((one) => one.body as HintRequest);
  }
}

/** A checkout's id in the form that the server gives them. */
export function checkoutId(): string {
  return `0${crypto.randomUUID().replaceAll('-', '').slice(0, 29)}`;
}

function isPreview({ body }: SeenRequest): boolean {
  return (body as { preview?: boolean }).preview === true;
}

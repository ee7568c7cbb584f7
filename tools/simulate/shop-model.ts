import type {
  SignedMessage,
  ShopClient,
} from '../../packages/session-server/dist/provider/shop-client.js';
import type { Merchant } from '../../packages/session-server/dist/merchants/merchant.js';
import type { Outage } from './provider-model.ts';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

/** Share of the answers that say 500. */
const REFUSED_SHARE = 0.005;

/** The shops' back ends that receive events: some refuse one now and then, some hang for a while. */
export class ShopModel implements Pick<ShopClient, 'deliver'> {
  /** How long events took from the change that they report to the shop that acknowledged them. */
  readonly ages = { answering: [] as number[], hanging: [] as number[] };
  readonly #random: Random;
  readonly #outages: ReadonlyMap<string, Outage>;
  readonly #now: () => number;

  /** @param outages of shops, by their merchants */
  constructor(random: Random, outages: ReadonlyMap<string, Outage>, now: () => number) {
    this.#random = random;
    this.#outages = outages;
    this.#now = now;
  }

  async deliver(
    ...[{ id }, , message, timeoutSeconds]: [Merchant, unknown, SignedMessage, number]
  ): Promise<number> {
    const outage = this.#outages.get(id);
    const now = this.#now();
    if (outage && now >= outage.from && now < outage.until) {
      await sleep(timeoutSeconds * 1000);
      throw new Error('the shop does not answer');
    }
    await sleep(this.#random.duration(120, 0.8));
    if (this.#random.chance(REFUSED_SHARE)) return 500;
    const { timestamp } = JSON.parse(message.body) as { readonly timestamp: string };
    this.ages[outage ? 'hanging' : 'answering'].push(this.#now() - Date.parse(timestamp));
    return 200;
  }
}

import type { OutboxEvent } from './repository.js';

/** So many checkouts without an answer in between say that it is the shop which does not answer. */
const CHECKOUTS_OF_A_SILENT_SHOP = 2;

/** Which shops answer, as far as this process has seen. One order that hangs is not its shop. */
export class ShopAnswers {
  /** Merchants whose shop has answered, and is not silent since. */
  readonly answering = new Set<string>();
  /** The checkouts of a merchant whose events found no answer since the last one that did. */
  readonly #unanswered = new Map<string, Set<string>>();

  note(
    { merchant, checkout }: Pick<OutboxEvent, 'merchant' | 'checkout'>,
    hasAnswered: boolean,
  ): void {
    if (hasAnswered) {
      this.answering.add(merchant);
      this.#unanswered.delete(merchant);
      return;
    }
    const unanswered = this.#unanswered.get(merchant) ?? new Set();
    this.#unanswered.set(merchant, unanswered.add(checkout));
    if (unanswered.size < CHECKOUTS_OF_A_SILENT_SHOP) return;
    this.answering.delete(merchant);
    this.#unanswered.delete(merchant);
  }
}

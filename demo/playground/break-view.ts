/** What the drawer "Break things" is answered. */
import type { TimelineView } from '../shop/order-view.js';

/** 200 of `GET /api/break`: what the sandbox can play. */
export interface BreakView {
  readonly scenarios: readonly ScenarioView[];
  /** The faults of each thing that a payment needs, such as `transactions-list`. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
}

export interface ScenarioView {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Such as `Declined`. */
  readonly group: string;
}

/** An order as the back end of its shop knows it. */
export interface ShopSide {
  /** Its merchant at the session server. */
  readonly merchant: string;
  readonly state: string;
  readonly refund: string;
  readonly attention: readonly string[];
  /** The events that the session server sent. */
  readonly events: readonly TimelineView[];
}

/** 200 of `GET /api/break/orders/:order`: the order as shop and session server see it. */
export interface BrokenOrderView {
  readonly shop: ShopSide;
  /** The timeline of the session server, a line each, oldest first. */
  readonly server: readonly string[];
  /** Faults that wait for their call, such as `transactions-list: error`. */
  readonly faults: readonly string[];
}

/** 200 of what is played: what came of it, such as `approved`. */
export interface PlayedView {
  readonly outcome: string;
}

/** What a page can do to a tag: its methods, and moving, cloning and removing it. */
import type { PayCheckout } from '@pay-checkout/widget';
import type { Places } from './stage.js';

/** What the playground needs of a tag, whichever page's class it is of. */
export type PayTag = HTMLElement &
  Pick<PayCheckout, 'start' | 'retry' | 'close' | 'reset' | 'whenSettled'>;

export interface Scene {
  readonly tag: PayTag;
  readonly places: Places;
  /** Called with a clone before it is put on the page. */
  readonly onClone: (clone: PayTag) => void;
}

/** Keyed by `data-act` of the buttons. Each answers the words for the log. */
export const ACTS = {
  start: ({ tag }: Scene) => call(tag, 'start'),
  retry: ({ tag }: Scene) => call(tag, 'retry'),
  close: ({ tag }: Scene) => call(tag, 'close'),
  reset: ({ tag }: Scene) => call(tag, 'reset'),
  moveBefore: ({ tag, places }: Scene) => {
    const place = otherPlace(tag, places);
    if (!tag.isConnected) return 'cannot be moved: it is not on the page';
    if (!('moveBefore' in place)) return 'moveBefore() is not known to this browser';
    (place as HTMLElement & { moveBefore: (node: Node, before: null) => void }).moveBefore(
      tag,
      null,
    );
    return 'moved with moveBefore()';
  },
  append: ({ tag, places }: Scene) => {
    otherPlace(tag, places).append(tag);
    return 'moved with append()';
  },
  remove: ({ tag }: Scene) => {
    tag.remove();
    return 'taken off the page';
  },
  putBack: ({ tag, places }: Scene) => {
    if (!tag.isConnected) places.first.append(tag);
    return 'put back';
  },
  clone: ({ tag, places, onClone }: Scene) => {
    const clone = tag.cloneNode(true) as PayTag;
    onClone(clone);
    places.copy.replaceChildren(clone);
    return 'cloned';
  },
} as const;

export type ActName = keyof typeof ACTS;

export function isAct(name: string | undefined): name is ActName {
  return name !== undefined && Object.hasOwn(ACTS, name);
}

/** A tag has its methods when its script has come. */
function call(tag: PayTag, method: 'start' | 'retry' | 'close' | 'reset'): string {
  if (!(method in tag)) return `${method}() is not there: the script of the tag has not come`;
  tag[method]();
  return `${method}()`;
}

function otherPlace(tag: PayTag, { first, second }: Places): HTMLElement {
  return first.contains(tag) ? second : first;
}

/** What a page can do to a tag: its methods, and moving, cloning and removing it. */
import type { PayCheckout } from '@pay-checkout/widget';
import type { Places } from './preview.js';

/** What the playground needs of a tag, whichever page's class it is of. */
export type PayTag = HTMLElement &
  Pick<PayCheckout, 'start' | 'retry' | 'close' | 'reset' | 'whenSettled'>;

export interface Scene {
  readonly tag: PayTag;
  readonly places: Places;
  /** Called with a clone before it is put on the page. */
  readonly onClone: (clone: PayTag) => void;
  /** Writes words to the log: before anything is done, so that what comes of it stands below. */
  readonly note: (words: string) => void;
}

/** Keyed by `data-act` of the buttons. */
export const ACTS = {
  start: (scene: Scene) => {
    call(scene, 'start');
  },
  retry: (scene: Scene) => {
    call(scene, 'retry');
  },
  close: (scene: Scene) => {
    call(scene, 'close');
  },
  reset: (scene: Scene) => {
    call(scene, 'reset');
  },
  moveBefore: ({ tag, places, note }: Scene) => {
    const place = otherPlace(tag, places);
    if (!tag.isConnected) {
      note('cannot be moved: it is not on the page');
    } else if (!('moveBefore' in place)) {
      note('moveBefore() is not known to this browser');
    } else {
      note('moved with moveBefore()');
      (place as HTMLElement & { moveBefore: (node: Node, before: null) => void }).moveBefore(
        tag,
        null,
      );
    }
  },
  append: ({ tag, places, note }: Scene) => {
    note('moved with append()');
    otherPlace(tag, places).append(tag);
  },
  remove: ({ tag, note }: Scene) => {
    note('taken off the page');
    tag.remove();
  },
  putBack: ({ tag, places, note }: Scene) => {
    note('put back');
    if (!tag.isConnected) places.first.append(tag);
  },
  clone: ({ tag, places, note, onClone }: Scene) => {
    note('cloned');
    const clone = tag.cloneNode(true) as PayTag;
    onClone(clone);
    places.copy.replaceChildren(clone);
  },
} as const;

export type ActName = keyof typeof ACTS;

export function isAct(name: string | undefined): name is ActName {
  return name !== undefined && Object.hasOwn(ACTS, name);
}

/** A tag has its methods when its script has come. */
function call({ tag, note }: Scene, method: 'start' | 'retry' | 'close' | 'reset'): void {
  if (!(method in tag)) {
    note(`${method}() is not there: the script of the tag has not come`);
    return;
  }
  note(`${method}()`);
  tag[method]();
}

function otherPlace(tag: PayTag, { first, second }: Places): HTMLElement {
  return first.contains(tag) ? second : first;
}

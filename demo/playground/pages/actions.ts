/** What a page can do to a tag: its methods, and moving, cloning and removing it. */
import type { PayCheckout } from '@pay-checkout/widget';

/** What the playground needs of a tag, whichever page's class it is of. */
export type PayTag = HTMLElement &
  Pick<PayCheckout, 'start' | 'retry' | 'close' | 'reset' | 'whenSettled'>;

/** The tag moves between the first and the second; a clone goes to the third. */
export interface Places {
  readonly first: HTMLElement;
  readonly second: HTMLElement;
  readonly copy: HTMLElement;
  readonly document: Document;
}

export interface ActionContext {
  readonly tag: PayTag;
  readonly places: Places;
  /** Called with a clone before it is put on the page. */
  readonly onClone: (clone: PayTag) => void;
  /** Writes words to the log: before anything is done, so that what comes of it stands below. */
  readonly note: (words: string) => void;
}

/** Keyed by `data-action` of the buttons. */
export const ACTIONS = {
  start: (context: ActionContext) => {
    call(context, 'start');
  },
  retry: (context: ActionContext) => {
    call(context, 'retry');
  },
  close: (context: ActionContext) => {
    call(context, 'close');
  },
  reset: (context: ActionContext) => {
    call(context, 'reset');
  },
  moveBefore: ({ tag, places, note }: ActionContext) => {
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
  append: ({ tag, places, note }: ActionContext) => {
    note('moved with append()');
    otherPlace(tag, places).append(tag);
  },
  remove: ({ tag, note }: ActionContext) => {
    note('taken off the page');
    tag.remove();
  },
  putBack: ({ tag, places, note }: ActionContext) => {
    note('put back');
    if (!tag.isConnected) places.first.append(tag);
  },
  clone: ({ tag, places, note, onClone }: ActionContext) => {
    note('cloned');
    const clone = tag.cloneNode(true) as PayTag;
    onClone(clone);
    places.copy.replaceChildren(clone);
  },
} as const;

export type ActionName = keyof typeof ACTIONS;

export function isAction(name: string | undefined): name is ActionName {
  return name !== undefined && Object.hasOwn(ACTIONS, name);
}

/** A tag has its methods when its script has come. */
function call({ tag, note }: ActionContext, method: 'start' | 'retry' | 'close' | 'reset'): void {
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

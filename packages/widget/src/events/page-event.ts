/** What the events of the element have in common: the page hears them, from inside a shadow root too. */
export class PageEvent extends Event {
  constructor(type: string, cancelable = false) {
    super(type, { bubbles: true, composed: true, cancelable });
  }
}

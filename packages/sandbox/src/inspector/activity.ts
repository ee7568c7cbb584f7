import { EventEmitter } from 'node:events';
import type { LoggedRequest } from '../logged-request.js';

/** What has just happened. `change`: something else is different now. */
export type ActivityEvent =
  | { readonly type: 'request'; readonly data: LoggedRequest }
  | { readonly type: 'change' };

/** Announces what happens in the sandbox to those who watch it. */
export class Activity {
  readonly #emitter = new EventEmitter<{ activity: [ActivityEvent] }>().setMaxListeners(0);

  announce(event: ActivityEvent): void {
    this.#emitter.emit('activity', event);
  }

  /** @returns ends it */
  watch(listener: (event: ActivityEvent) => void): () => void {
    this.#emitter.on('activity', listener);
    return () => void this.#emitter.off('activity', listener);
  }
}

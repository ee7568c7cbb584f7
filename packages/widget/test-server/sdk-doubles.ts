/**
 * Client SDKs of every plausible shape, as one classic script: `?shape=` chooses the one that it
 * leaves in the global `?global=`. Each mounts a form marked `data-double`, and removes it if it can.
 */
{
  type Callbacks = Partial<Record<'onReady' | 'onSubmit' | 'onError', () => void>>;
  type Options = Callbacks & { session_id?: string; container?: string | Element };
  type Configure = (given: Options | string, more?: Options) => unknown;
  interface Double {
    /** What stands in the global at once. */
    readonly leaves: unknown;
    /** What the script does later. */
    readonly later?: (leave: (left: unknown) => void) => void;
  }

  const { searchParams: query, origin } = new URL(
    (document.currentScript as HTMLScriptElement).src,
  );
  const name = query.get('global') ?? '';
  const page = query.get('page') ?? '';
  const LATER_MS = 120;

  const makeForm = (): HTMLElement => {
    const form = document.createElement('form');
    form.dataset.double = name;
    form.textContent = 'Card number';
    return form;
  };
  const containerOf = ({ container = '' }: Options): Element => {
    const found = typeof container === 'string' ? document.querySelector(container) : container;
    if (!found) throw new Error('There is no container.');
    return found;
  };
  const mountIn = (options: Options): HTMLElement => {
    const form = makeForm();
    containerOf(options).append(form);
    return form;
  };
  const needSession = (given: unknown): void => {
    if (typeof given !== 'string' || given === '') throw new TypeError('There is no session.');
  };
  const sessionIn = (given: Options | string): Options => {
    if (typeof given === 'string') throw new TypeError('An object is wanted.');
    needSession(given.session_id);
    return given;
  };
  /** An SDK whose `configure()` takes an object. */
  const acceptingObject = (mount: (options: Options) => unknown): Double => ({
    leaves: { configure: (given: Options | string) => mount(sessionIn(given)) },
  });
  const never = new Promise<never>(() => undefined);

  const frameOf = (options: Options): Promise<unknown> => {
    const frame = document.createElement('iframe');
    frame.dataset.double = name;
    frame.title = 'Card';
    frame.src = page;
    containerOf(options).append(frame);
    return new Promise((resolve) => {
      frame.onload = () => resolve({ unmount: () => frame.remove() });
    });
  };

  /** The form of an SDK that shows one at a time. */
  let only: HTMLElement | undefined;
  const showOnly = (options: Options): unknown => {
    if (only) throw new Error('There cannot be two forms.');
    only = mountIn(options);
    const destroy = (): void => {
      only?.remove();
      only = undefined;
    };
    return Promise.resolve({ destroy });
  };

  class Constructed {
    #form: HTMLElement | undefined;
    configure(given: Options | string): this {
      this.#form = mountIn(sessionIn(given));
      return this;
    }
    destroy(): void {
      this.#form?.remove();
    }
  }

  const methods = acceptingObject((options) => void mountIn(options)).leaves as {
    configure: Configure;
  };

  const drawn = new Set<HTMLElement>();
  const ended = acceptingObject(() => {
    const form = makeForm();
    document.getElementById('card-form')?.append(form);
    drawn.add(form);
  });

  const DOUBLES: Readonly<Record<string, Double>> = {
    'object → promise of a handle': acceptingObject((options) => {
      const form = mountIn(options);
      return Promise.resolve({ destroy: () => form.remove() });
    }),
    'object → handle': acceptingObject((options) => {
      const form = mountIn(options);
      return { unmount: () => form.remove() };
    }),
    'object → nothing': acceptingObject((options) => void mountIn(options)),
    'object → promise of nothing': acceptingObject((options) =>
      Promise.resolve(void mountIn(options)),
    ),
    'object → a text': acceptingObject((options) => {
      mountIn(options);
      return 'mounted';
    }),
    'string and options': {
      leaves: {
        configure(given: unknown, more: Options) {
          needSession(given);
          mountIn(more);
        },
      },
    },
    'string alone, appends to the body': {
      leaves: {
        configure(...given: unknown[]) {
          if (given.length !== 1) throw new TypeError('One argument is wanted.');
          needSession(given[0]);
          document.body.append(makeForm());
        },
      },
    },
    'mounts in an element of the page by its id': acceptingObject(() => {
      const form = makeForm();
      document.getElementById('card-form')?.append(form);
      return { unmount: () => form.remove() };
    }),
    'finds its container by document.getElementById': acceptingObject(({ container }) => {
      const found = document.getElementById((container as string).slice(1));
      if (!found) throw new Error('There is no container.');
      found.append(makeForm());
    }),
    'takes the element': acceptingObject((options) => {
      if (!(options.container instanceof Element)) throw new TypeError('An element is wanted.');
      mountIn(options);
    }),
    'a constructor first': { leaves: Constructed },
    'in a namespace': {
      leaves: { Checkout: { V2: { configure: methods.configure } } },
    },
    'a frame': acceptingObject(frameOf),
    'a popup': acceptingObject(() => {
      const popup = window.open(page, name, 'popup,width=200,height=200');
      Object.assign(globalThis, { [`${name}_popup`]: popup });
      return { close: () => popup?.close() };
    }),
    'reports by callbacks only': acceptingObject((options) => {
      mountIn(options);
      setTimeout(() => options.onReady?.(), LATER_MS);
      return never;
    }),
    'calls back before it answers': acceptingObject((options) => {
      const form = mountIn(options);
      options.onReady?.();
      return Promise.resolve({ destroy: () => form.remove() });
    }),
    'a handle that must be opened': acceptingObject((options) => ({
      open(container: string) {
        mountIn({ ...options, container });
      },
    })),
    'a popup, and an answer when it closes': acceptingObject(() => {
      const popup = window.open(page, name, 'popup,width=200,height=200');
      Object.assign(globalThis, { [`${name}_popup`]: popup });
      return new Promise((resolve) => {
        const checking = setInterval(() => {
          if (!popup?.closed) return;
          clearInterval(checking);
          resolve({ status: 'cancelled' });
        }, LATER_MS);
      });
    }),
    'draws at the end of the page, and answers when it is over': acceptingObject(() => {
      document.body.append(makeForm());
      return never;
    }),
    'one form at a time': acceptingObject(showOnly),
    'attaches its methods late': {
      leaves: {},
      later: (leave) => leave(methods),
    },
    'leaves its global late': { leaves: undefined, later: (leave) => leave(methods) },
    'ends its forms by destroy() of the global': {
      leaves: {
        ...(ended.leaves as object),
        destroy() {
          for (const form of drawn) form.remove();
        },
      },
    },
    'a handle that throws': acceptingObject((options) => {
      mountIn(options);
      return {
        destroy() {
          throw new Error('Not now.');
        },
      };
    }),
    'a handle that rejects': acceptingObject((options) => {
      mountIn(options);
      return { destroy: () => Promise.reject(new Error('Not now.')) };
    }),
    'mounts and never answers': acceptingObject((options) => {
      mountIn(options);
      return never;
    }),
    'navigates, and answers nothing': acceptingObject(() => location.assign(page)),
    'navigates, and never answers': acceptingObject(() => {
      location.assign(page);
      return never;
    }),
    'puts its form in the place of its container': acceptingObject((options) => {
      const form = makeForm();
      containerOf(options).replaceWith(form);
      return Promise.resolve({ destroy: () => form.remove() });
    }),
    'is about to navigate, and never goes': acceptingObject(() => never),
    'would navigate, and refuses': acceptingObject(() =>
      Promise.reject(new Error('No such session.')),
    ),
    throws: acceptingObject(() => {
      throw new Error('No such session.');
    }),
    'throws after mounting': acceptingObject((options) => {
      mountIn(options);
      throw new Error('No such session.');
    }),
    'throws in its constructor': {
      leaves: function Throwing() {
        throw new Error('Not in this browser.');
      },
    },
    'a constructor without configure()': { leaves: function Empty() {} },
    rejects: acceptingObject(() => Promise.reject(new Error('No such session.'))),
    'rejects with nothing': acceptingObject(() => {
      const { promise, reject } = Promise.withResolvers();
      reject();
      return promise;
    }),
    'reports an error instead of mounting': acceptingObject((options) => {
      setTimeout(() => options.onError?.(), LATER_MS);
      return never;
    }),
    'never answers': acceptingObject(() => never),
    'has no configure()': { leaves: { version: '1.0' } },
    'leaves nothing': { leaves: undefined },
    'is an element of the page': { leaves: document.createElement('form') },
  };

  const leave = (left: unknown): void => {
    Object.assign(globalThis, { [name]: left });
  };
  const double = DOUBLES[query.get('shape') ?? ''];
  if (!double) throw new Error(`There is no such SDK at ${origin}.`);
  leave(double.leaves);
  if (double.later) setTimeout(double.later, LATER_MS, leave);
}

/** How to load and call the client SDK: the `sdk` of a merchant entry of the session server. */
export interface SdkDescription {
  readonly url: string;
  readonly global: string;
  readonly construct?: true;
  readonly argument: 'object' | 'string';
  readonly container?: 'selector' | 'element';
  readonly navigates?: true;
  readonly callbacks: Readonly<Record<string, string>>;
  readonly open?: string;
  readonly answers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly origins: {
    readonly script: string[];
    readonly frame: string[];
    readonly connect: [];
    readonly style?: string[];
    readonly image?: string[];
    readonly form?: string[];
  };
  readonly inlineStyle?: true;
}

/** One shape that the client SDK may have: only `configure()` and `session_id` are shown (spec 2.4). */
export interface SdkShape {
  readonly name: string;
  /** A description for people. */
  readonly what: string;
  /** Whether it can take a payment. */
  readonly works: boolean;
  readonly sdk: SdkDescription;
}

type Changes = Partial<Omit<SdkDescription, 'url' | 'global' | 'origins'>>;

const CALLBACKS = {
  onReady: 'shown',
  onSubmit: 'submitted',
  onDecline: 'declined',
  onExpire: 'expired',
  onError: 'error',
};
const SELECTOR = { container: 'selector' } as const;

/** Name, description, and how its `sdk` differs from the most common one. */
const WORKING: readonly (readonly [name: string, what: string, changes?: Changes])[] = [
  ['promise', 'takes an object, returns a promise of a handle (the default SDK)', SELECTOR],
  ['handle', 'takes an object, returns a handle', SELECTOR],
  ['nothing', 'takes an object, returns nothing, uses callbacks', SELECTOR],
  ['string', 'takes the session id, then options', { ...SELECTOR, argument: 'string' }],
  [
    'alone',
    'takes only the session id, draws at the end of the page, returns nothing',
    { argument: 'string', callbacks: {} },
  ],
  ['constructed', 'is a class: call new first', { ...SELECTOR, construct: true }],
  ['element', 'takes an element, not a selector', { container: 'element' }],
  ['body', 'draws at the end of the page, returns a handle'],
  ['opened', 'returns a handle whose open() draws the form', { ...SELECTOR, open: 'open' }],
  ['popup', 'opens a window', { callbacks: {} }],
  [
    'window',
    'opens a window, and says so in its container until the window is closed',
    { ...SELECTOR, callbacks: {} },
  ],
  [
    'cancels',
    'has a Cancel button of its own, then answers {status: "cancelled"}',
    { ...SELECTOR, answers: { status: { cancelled: 'cancelled' } } },
  ],
  [
    'inpage',
    'adds a style and a picture to the page, and posts a form to check the device',
    { ...SELECTOR, inlineStyle: true },
  ],
  ['navigates', 'leaves the page', { navigates: true, callbacks: {} }],
  ['late', 'attaches configure() half a second after its script has run', SELECTOR],
  ['slow', 'is a script that takes three seconds to load', SELECTOR],
];

const BROKEN: typeof WORKING = [
  ['throws', 'configure() throws', SELECTOR],
  ['rejects', 'configure() rejects', SELECTOR],
  ['silent', 'configure() never settles', SELECTOR],
  ['bare', 'the script defines no global', SELECTOR],
  ['missing', 'the script’s URL answers 404', SELECTOR],
  ['failing', 'the script’s URL answers 503', SELECTOR],
];

/** The default SDK, as browsers load it from the sandbox at `origin`. */
export function describeSdk(origin: string, changes: Changes = SELECTOR): SdkDescription {
  return {
    url: `${origin}/sdk/checkout.js`,
    global: 'PaySandbox',
    argument: 'object',
    callbacks: CALLBACKS,
    origins: { script: [origin], frame: [origin], connect: [] },
    ...changes,
  };
}

/** Every shape that the sandbox at `origin` serves. */
export function listSdkShapes(origin: string): SdkShape[] {
  return [
    ...WORKING.map((shape) => describeShape(origin, true, shape)),
    ...BROKEN.map((shape) => describeShape(origin, false, shape)),
  ];
}

function describeShape(
  origin: string,
  works: boolean,
  [name, what, changes = {}]: (typeof WORKING)[number],
): SdkShape {
  const sdk = describeSdk(origin, changes);
  if (name === 'promise') return { name, what, works, sdk };
  const url = `${origin}/sdk/shapes/${name}.js`;
  const origins = {
    ...sdk.origins,
    ...(sdk.inlineStyle && { style: [origin], image: [origin], form: [origin] }),
  };
  return { name, what, works, sdk: { ...sdk, url, global: `PaySandbox.${name}`, origins } };
}

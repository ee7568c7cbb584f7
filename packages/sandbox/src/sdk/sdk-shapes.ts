/** How a shape of the client SDK is loaded and called: what a merchant entry says under `sdk`. */
export interface ShapeDescription {
  readonly url: string;
  readonly global: string;
  readonly construct?: true;
  readonly argument: 'object' | 'string';
  readonly container?: 'selector' | 'element';
  readonly navigates?: true;
  readonly callbacks: Readonly<Record<string, string>>;
  readonly origins: { readonly script: string[]; readonly frame: string[]; readonly connect: [] };
}

/** One shape that the client SDK may have. */
export interface SdkShape {
  readonly name: string;
  /** In words, for a person who chooses. */
  readonly what: string;
  /** Whether a payment can be made with it. */
  readonly works: boolean;
  readonly sdk: ShapeDescription;
}

type Changes = Partial<Pick<ShapeDescription, 'construct' | 'argument' | 'navigates'>> & {
  readonly container?: 'element' | 'none';
  readonly hasCallbacks?: false;
};

const CALLBACKS = {
  onReady: 'shown',
  onSubmit: 'submitted',
  onDecline: 'declined',
  onExpire: 'refused',
  onError: 'error',
};

/** Name, words, and what its description has other than the plain SDK. */
const SHAPES: readonly (readonly [name: string, what: string, changes?: Changes])[] = [
  ['promise', 'takes an object, answers a promise of a handle (the plain SDK)'],
  ['handle', 'takes an object, answers a handle'],
  ['nothing', 'takes an object, answers nothing, calls back'],
  ['string', 'takes the session alone, and options beside it', { argument: 'string' }],
  [
    'alone',
    'takes nothing but the session, draws at the end of the page, answers nothing',
    { argument: 'string', container: 'none', hasCallbacks: false },
  ],
  ['constructed', 'is a class: new first', { construct: true }],
  ['element', 'takes an element, and no selector', { container: 'element' }],
  ['body', 'draws at the end of the page, answers a handle', { container: 'none' }],
  ['popup', 'opens a window', { container: 'none', hasCallbacks: false }],
  ['navigates', 'leaves the page', { container: 'none', navigates: true, hasCallbacks: false }],
  ['late', 'attaches configure() half a second after its script has run'],
  ['slow', 'is a script that takes three seconds'],
];

/** The same, of what no payment can be made with. */
const BROKEN: typeof SHAPES = [
  ['throws', 'configure() throws'],
  ['rejects', 'configure() rejects'],
  ['silent', 'configure() never answers'],
  ['bare', 'the script leaves no global'],
  ['missing', 'the address of the script answers 404'],
  ['failing', 'the address of the script answers 503'],
];

/** Every shape, as browsers find it at `origin`. */
export function listShapes(origin: string): SdkShape[] {
  return [
    ...SHAPES.map((shape) => describeShape(origin, true, shape)),
    ...BROKEN.map((shape) => describeShape(origin, false, shape)),
  ];
}

function describeShape(
  origin: string,
  works: boolean,
  [name, what, changes = {}]: (typeof SHAPES)[number],
): SdkShape {
  const { container = 'selector', hasCallbacks = true, ...rest } = changes;
  const isPlain = name === 'promise';
  const sdk: ShapeDescription = {
    url: `${origin}/sdk/${isPlain ? 'checkout' : `shapes/${name}`}.js`,
    global: isPlain ? 'PaySandbox' : `PaySandbox.${name}`,
    argument: 'object',
    ...(container !== 'none' && { container }),
    callbacks: hasCallbacks ? CALLBACKS : {},
    origins: { script: [origin], frame: [origin], connect: [] },
    ...rest,
  };
  return { name, what, works, sdk };
}

/** Text of Lit, and what it comes to in the single file: white space counts for nothing. */
type Fact = readonly [asked: string, always: string];

/** What is always so in one of Lit's own files. */
export interface LitFacts {
  readonly facts: readonly Fact[];
  /** Members of its classes that nobody here calls. */
  readonly unused?: readonly string[];
}

const PRODUCTION: Fact = ['const DEV_MODE = true', 'const DEV_MODE = false'];

const CSS_TAG: LitFacts = {
  facts: [
    // Each browser that has `light-dark()` has them.
    [
      `global.ShadowRoot && (global.ShadyCSS === undefined || global.ShadyCSS.nativeShadow) &&
      'adoptedStyleSheets' in Document.prototype && 'replace' in CSSStyleSheet.prototype`,
      'true',
    ],
    // There is one literal, without expressions.
    ['strings.length === 1 ?', 'true ?'],
    ['safeToken !== constructionToken', 'false'],
    ['strings !== undefined && strings.length === 1', 'false'],
    ['s instanceof CSSStyleSheet ? s : s.styleSheet', 's.styleSheet'],
    ['if (styleSheet === undefined) {', '{'],
  ],
  unused: ['toString'],
};

const REACTIVE_ELEMENT: LitFacts = {
  facts: [
    PRODUCTION,
    [': global.reactiveElementPolyfillSupport', ': undefined'],
    [`(global.reactiveElementVersions ??= []).push('2.1.2')`, ''],
    // No decorators, which would bring metadata and initializers.
    [`Symbol.metadata ??= Symbol('metadata')`, ''],
    ['global.litPropertyMetadata ??= new WeakMap()', ''],
    ['const metadata = this[Symbol.metadata]', 'const metadata = null'],
    ['superCtor._initializers !== undefined', 'false'],
    ['this.constructor._initializers?.forEach((i) => i(this))', ''],
    // Properties are texts and a Boolean, without converters, defaults and accessors of their own.
    ['case Object: case Array: value = value == null ? value : JSON.stringify(value); break;', ''],
    ['case Number: fromValue = value === null ? null : Number(value); break;', ''],
    [
      `case Object: case Array: try { fromValue = JSON.parse(value); }
      catch (e) { fromValue = null; } break;`,
      '',
    ],
    [`trustedTypes ? trustedTypes.emptyScript : ''`, `''`],
    [
      `typeof options.converter === 'function' ? { fromAttribute: options.converter } :
      options.converter?.fromAttribute !== undefined ? options.converter : defaultConverter`,
      'defaultConverter',
    ],
    [
      'options.converter?.toAttribute !== undefined ? options.converter : defaultConverter',
      'defaultConverter',
    ],
    ['options = defaultPropertyDeclaration)', 'options)'],
    ['options ??= ctor.getPropertyOptions(name);', ''],
    ['?? defaultPropertyDeclaration', ''],
    ['if (options.state) {', 'if (false) {'],
    ['if (this.prototype.hasOwnProperty(name)) {', 'if (false) {'],
    ['if (!options.noAccessor) {', '{'],
    ['if (descriptor !== undefined) {', '{'],
    ['getOwnPropertyDescriptor(this.prototype, name) ?? { get() {', '{ get() {'],
    ['[ ...getOwnPropertyNames(props), ...getOwnPropertySymbols(props), ]', 'Object.keys(props)'],
    ['options.hasChanged ?? notEqual', 'notEqual'],
    [
      `(options.useDefault && options.reflect && newValue === this.__defaultValues?.get(name) &&
      !this.hasAttribute(ctor.__attributeNameForProperty(name, options)))`,
      'false',
    ],
    ['if (useDefault && !(this.__defaultValues ??= new Map()).has(name)) {', 'if (false) {'],
    ['!this.hasUpdated && !useDefault', '!this.hasUpdated'],
    ['convertedValue ?? this.__defaultValues?.get(propName) ?? convertedValue', 'convertedValue'],
    ['if (elementProperties.size > 0) {', 'if (false) {'],
    // One sheet of styles.
    ['this.finalizeStyles(this.styles)', '[this.styles]'],
    // Controllers come with the constructor, and stay; they and the element have no other hooks.
    ['if (this.renderRoot !== undefined && this.isConnected) {', 'if (false) {'],
    ['this.__controllers?.forEach((c) => c.hostUpdated?.());', ''],
    ['shouldUpdate = this.shouldUpdate(changedProperties)', 'shouldUpdate = true'],
    ['this.willUpdate(changedProperties);', ''],
    ['return this.getUpdateComplete();', 'return this.__updatePromise;'],
  ],
  unused: [
    ...['addInitializer', 'finalizeStyles', 'removeController', 'shouldUpdate', 'willUpdate'],
    'getUpdateComplete',
  ],
};

const LIT_ELEMENT: LitFacts = {
  facts: [
    PRODUCTION,
    [': global.litElementPolyfillSupport', ': undefined'],
    ['global.litElementHydrateSupport?.', 'undefined?.'],
    [`(global.litElementVersions ??= []).push('4.2.2')`, ''],
    [`LitElement['_$litElement$'] = true;`, ''],
    ['if (!this.hasUpdated) { this.renderOptions.isConnected = this.isConnected; }', ''],
    ['this.__childPart = undefined;', ''],
    ['this.__childPart = render(', 'render('],
  ],
  // Without directives nobody asks whether a part is connected.
  unused: ['connectedCallback', 'disconnectedCallback', 'render'],
};

const LIT_HTML: LitFacts = {
  facts: [
    PRODUCTION,
    ['const ENABLE_EXTRA_SECURITY_HOOKS = true', 'const ENABLE_EXTRA_SECURITY_HOOKS = false'],
    ['const ENABLE_SHADYDOM_NOPATCH = true', 'const ENABLE_SHADYDOM_NOPATCH = false'],
    [': global.litHtmlPolyfillSupport', ': undefined'],
    [`(global.litHtmlVersions ??= []).push('3.3.3')`, ''],
    // Every template is compiled: see `compile-templates.ts`.
    [`typeof type === 'number'`, 'false'],
    [
      'Template.createElement(trustFromTemplateString(type.h, type.h[0]), this.options)',
      `Object.assign(d.createElement('template'),
        { innerHTML: trustFromTemplateString(type.h, type.h[0]) })`,
    ],
    ['_getTemplateHtml: getTemplateHtml,', ''],
    ['const marker = `lit$${Math.random().toFixed(9).slice(2)}$`', `const marker = ''`],
    [
      `const tagEndRegex = new RegExp(\`>|\${SPACE_CHAR}(?:(\${NAME_CHAR}+)(\${SPACE_CHAR}*=\${SPACE_CHAR}*(?:\${ATTR_VALUE_CHAR}|("|')|))|$)\`, 'g')`,
      'const tagEndRegex = 0',
    ],
    ['const templateCache = new WeakMap()', 'const templateCache = 0'],
    ['else if (templatePart.type === ELEMENT_PART)', 'else if (false)'],
    ['options?.creationScope ?? d', 'd'],
    // There are no directives, which alone want to know whether they are connected.
    [
      'function resolveDirective(part, value, parent = part, attributeIndex) {',
      'function resolveDirective(part, value) { return value;',
    ],
    ['this._$notifyConnectionChanged?.(false, true, from)', ''],
    ['this._$disconnectableChildren = undefined;', ''],
    ['this.__isConnected = options?.isConnected ?? true;', ''],
    ['this.type = CHILD_PART;', ''],
    ['this.type = ATTRIBUTE_PART;', ''],
    ['constructor() { super(...arguments); this.type = PROPERTY_PART; }', ''],
    ['constructor() { super(...arguments); this.type = BOOLEAN_ATTRIBUTE_PART; }', ''],
    ['this.type = EVENT_PART;', ''],
    // Values are texts, templates, lists and functions.
    ['value === noChange', 'false'],
    ['v === noChange', 'false'],
    ['value !== noChange', 'true'],
    ['newListener === noChange', 'false'],
    ['value.nodeType !== undefined', 'false'],
    [
      `newListener.capture !== oldListener.capture || newListener.once !== oldListener.once ||
      newListener.passive !== oldListener.passive`,
      'false',
    ],
    [`typeof this._$committedValue === 'function'`, 'true'],
  ],
  unused: [
    ...['_$getTemplate', '_$isConnected', 'setConnected', 'startNode', 'endNode', 'tagName'],
    'parentNode',
  ],
};

/** By the name of the file. */
export const LIT_FACTS: Readonly<Record<string, LitFacts>> = {
  'css-tag.js': CSS_TAG,
  'reactive-element.js': REACTIVE_ELEMENT,
  'lit-element.js': LIT_ELEMENT,
  'lit-html.js': LIT_HTML,
};

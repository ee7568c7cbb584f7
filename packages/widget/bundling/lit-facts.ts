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
    ['const strings = this._strings;', 'const strings = 0;'],
    ['this._strings = strings;', ''],
    [`this['_$cssResult$'] = true;`, ''],
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
    ['converter.toAttribute(value, options.type)', `options.type ? (value ? '' : null) : value`],
    ['converter.fromAttribute(value, options.type)', 'options.type ? value !== null : value'],
    [
      `typeof options.converter === 'function' ? { fromAttribute: options.converter } :
      options.converter?.fromAttribute !== undefined ? options.converter : defaultConverter`,
      '0',
    ],
    ['options.converter?.toAttribute !== undefined ? options.converter : defaultConverter', '0'],
    ['options = defaultPropertyDeclaration)', 'options)'],
    ['options ??= ctor.getPropertyOptions(name);', ''],
    ['?? defaultPropertyDeclaration', ''],
    ['if (options.state) {', 'if (false) {'],
    ['if (this.prototype.hasOwnProperty(name)) {', 'if (false) {'],
    ['if (!options.noAccessor) {', '{'],
    ['if (descriptor !== undefined) {', '{'],
    [
      `const { get, set } = getOwnPropertyDescriptor(this.prototype, name) ??
      { get() { return this[key]; }, set(v) { this[key] = v; }, };`,
      'const get = function () { return this[key]; };',
    ],
    [
      'const oldValue = get?.call(this); set?.call(this, value);',
      'const oldValue = this[key]; this[key] = value;',
    ],
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
    ['if (useNewValue === false) { newValue = this[name]; }', 'newValue = this[name];'],
    // One class has properties: its own, read when it is defined.
    ['const superCtor = getPrototypeOf(this); superCtor.finalize();', ''],
    ['new Map(superCtor.elementProperties)', 'new Map()'],
    [`if (this.hasOwnProperty(JSCompiler_renameProperty('finalized', this))) { return; }`, ''],
    [`if (this.hasOwnProperty(JSCompiler_renameProperty('properties', this))) {`, '{'],
    [`this.__prepare(); if (false) { options`, 'if (false) { options'],
    [
      `if (this.hasOwnProperty(JSCompiler_renameProperty('elementProperties', this))) { return; }`,
      '',
    ],
    ['this.finalized = true;', ''],
    [
      `ReactiveElement[JSCompiler_renameProperty('elementProperties', ReactiveElement)] = new Map();`,
      '',
    ],
    [`ReactiveElement[JSCompiler_renameProperty('finalized', ReactiveElement)] = new Map();`, ''],
    ['ReactiveElement.elementStyles = [];', ''],
    // One sheet of styles.
    ['this.finalizeStyles(this.styles)', '[this.styles]'],
    // Controllers come with the constructor, and stay; they and the element have no other hooks.
    ['if (this.renderRoot !== undefined && this.isConnected) {', 'if (false) {'],
    ['this.__controllers?.forEach((c) => c.hostUpdated?.());', ''],
    [
      'shouldUpdate = this.shouldUpdate(changedProperties); if (shouldUpdate) {',
      'shouldUpdate = true; {',
    ],
    [
      'this.update(changedProperties); } else { this.__markUpdated(); }',
      'this.update(changedProperties); }',
    ],
    [
      'const result = this.scheduleUpdate(); if (result != null) { await result; }',
      'this.performUpdate();',
    ],
    ['this.willUpdate(changedProperties);', ''],
    ['return this.getUpdateComplete();', 'return this.__updatePromise;'],
  ],
  unused: [
    ...['addInitializer', 'finalizeStyles', 'removeController', 'shouldUpdate', 'willUpdate'],
    ...['getUpdateComplete', 'scheduleUpdate', 'enableUpdating', 'updated', 'firstUpdated'],
  ],
};

const LIT_ELEMENT: LitFacts = {
  facts: [
    PRODUCTION,
    [': global.litElementPolyfillSupport', ': undefined'],
    ['global.litElementHydrateSupport?.', 'undefined?.'],
    [`(global.litElementVersions ??= []).push('4.2.2')`, ''],
    [`LitElement['_$litElement$'] = true;`, ''],
    [`LitElement[JSCompiler_renameProperty('finalized', LitElement)] = true;`, ''],
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
    ['value = resolveDirective(this, value, directiveParent);', ''],
    ['value = resolveDirective(this, value, directiveParent, 0);', ''],
    [
      'resolveDirective(this, values[valueIndex + i], directiveParent, i)',
      'values[valueIndex + i]',
    ],
    ['resolveDirective(this, newListener, directiveParent, 0)', 'newListener'],
    ['directiveParent = this, valueIndex, noCommit)', 'valueIndex)'],
    ['part._$setValue(values, part, i)', 'part._$setValue(values, i)'],
    ['change && !noCommit', 'change'],
    ['if (part !== undefined) {', '{'],
    ['this._$parent = parent;', ''],
    ['this.options?.host ?? this.element', 'this.options.host'],
    ['wrap(start)', 'start'],
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
    ['if (isIterable(value))', 'if (isArray(value))'],
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

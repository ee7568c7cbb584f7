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
    // There is one literal, without expressions, and one sheet.
    ['strings.length === 1 ?', 'true ?'],
    [
      'return new CSSResult(cssText, strings, constructionToken);',
      'const sheet = new CSSStyleSheet(); sheet.replaceSync(cssText); return sheet;',
    ],
    ['const constructionToken = Symbol();', ''],
  ],
};

const REACTIVE_ELEMENT: LitFacts = {
  facts: [
    PRODUCTION,
    // Who compares says so on the spot.
    ['!is(value, old)', '0'],
    [': global.reactiveElementPolyfillSupport', ': undefined'],
    [`(global.reactiveElementVersions ??= []).push('2.1.2')`, ''],
    // No decorators, which would bring metadata and initializers.
    [`Symbol.metadata ??= Symbol('metadata')`, ''],
    ['global.litPropertyMetadata ??= new WeakMap()', ''],
    ['const metadata = this[Symbol.metadata]', 'const metadata = null'],
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
    [`typeof name === 'string' ? name.toLowerCase() : undefined`, 'name.toLowerCase()'],
    [`typeof attribute === 'string' ? attribute :`, 'attribute ??'],
    ['convertedValue ?? this.__defaultValues?.get(propName) ?? convertedValue', 'convertedValue'],
    // One class has properties: its own, read when it is defined.
    [
      `this.finalize(); return (this.__attributeToPropertyMap && [...this.__attributeToPropertyMap.keys()]);
      }`,
      `if (!this.__attributeToPropertyMap) this.finalize();
      return [...this.__attributeToPropertyMap.keys()]; }`,
    ],
    [`if (this.hasOwnProperty(JSCompiler_renameProperty('finalized', this))) { return; }`, ''],
    ['this.finalized = true; this.__prepare();', ''],
    [`if (this.hasOwnProperty(JSCompiler_renameProperty('properties', this))) {`, 'if (false) {'],
    [
      `for (const [p, options] of this.elementProperties) {
      const attr = this.__attributeNameForProperty(p, options);`,
      `for (const [p, options] of Object.entries(this.properties)) {
      const key = Symbol();
      Object.defineProperty(this.prototype, p, {
        get() { return this[key]; },
        set(value) {
          const oldValue = this[key]; this[key] = value; this.requestUpdate(p, oldValue, options);
        },
        configurable: true, enumerable: true,
      });
      const attr = this.__attributeNameForProperty(p, options);`,
    ],
    ['ctor.getPropertyOptions(propName)', 'ctor.properties[propName]'],
    [
      'for (const p of elementProperties.keys()) {',
      'for (const p of Object.keys(elementProperties)) {',
    ],
    [
      'const elementProperties = this.constructor .elementProperties',
      'const elementProperties = this.constructor.properties',
    ],
    ['const elemProperties = this.constructor.elementProperties;', ''],
    ['elemProperties.get(name)', 'this.constructor.properties[name]'],
    ['if (elementProperties.size > 0) {', 'if (false) {'],
    [
      `ReactiveElement[JSCompiler_renameProperty('elementProperties', ReactiveElement)] = new Map();`,
      '',
    ],
    [`ReactiveElement[JSCompiler_renameProperty('finalized', ReactiveElement)] = new Map();`, ''],
    [
      'attributeChangedCallback(name, _old, value) { this._$attributeToProperty(name, value); }',
      '',
    ],
    ['_$attributeToProperty(name, value) {', 'attributeChangedCallback(name, _old, value) {'],
    // What has no attribute is not observed, nor reflected.
    ['propName !== undefined && this.__reflectingProperty', 'this.__reflectingProperty'],
    ['if (attr !== undefined && options.reflect === true) {', ''],
    [
      'this.setAttribute(attr, attrValue); } this.__reflectingProperty = null; }',
      'this.setAttribute(attr, attrValue); } this.__reflectingProperty = null;',
    ],
    // Nobody asks which properties have changed, and from what.
    [
      'requestUpdate(name, oldValue, options, useNewValue = false, newValue) {',
      'requestUpdate(name, oldValue, options) {',
    ],
    ['if (useNewValue === false) { newValue = this[name]; }', ''],
    ['options ??= ctor.getPropertyOptions(name);', ''],
    [
      `(options.hasChanged ?? notEqual)(newValue, oldValue) || (options.useDefault &&
      options.reflect && newValue === this.__defaultValues?.get(name) &&
      !this.hasAttribute(ctor.__attributeNameForProperty(name, options)))`,
      '!Object.is(this[name], oldValue)',
    ],
    [
      'if (changed) { this._$changeProperty(name, oldValue, options); } else { return; }',
      `if (!changed) return; if (options.reflect && this.__reflectingProperty !== name) {
        (this.__reflectingProperties ??= new Set()).add(name); }`,
    ],
    ['const changedProperties = this._$changedProperties;', ''],
    ['this._$changedProperties = new Map();', ''],
    ['if (instanceProperties.size > 0) {', '{'],
    // An object holds them too, and gives them back in one step.
    ['const instanceProperties = new Map();', 'const instanceProperties = { __proto__: null };'],
    ['instanceProperties.set(p, this[p]);', 'instanceProperties[p] = this[p];'],
    [
      `if (this.__instanceProperties) { for (const [p, value] of this.__instanceProperties) {
      this[p] = value; } this.__instanceProperties = undefined; }`,
      'Object.assign(this, this.__instanceProperties);',
    ],
    // What is false or missing at first needs no word.
    ['super(); this.__instanceProperties = undefined;', 'super();'],
    [
      `this.isUpdatePending = false; this.hasUpdated = false; this.__reflectingProperty = null;
      this.__initialize(); } __initialize() {`,
      '',
    ],
    ['this.isUpdatePending === false', '!this.isUpdatePending'],
    // One sheet of styles.
    ['ReactiveElement.elementStyles = [];', ''],
    ['this.elementStyles = this.finalizeStyles(this.styles);', ''],
    [`ReactiveElement.shadowRootOptions = { mode: 'open' };`, ''],
    // One controller comes with the constructor, has three hooks, and stays; the element has no others.
    ['(this.__controllers ??= new Set()).add(controller)', 'this.__controller = controller'],
    ['if (this.renderRoot !== undefined && this.isConnected) {', 'if (false) {'],
    [
      'this.__controllers?.forEach((c) => c.hostConnected?.());',
      'this.__controller.hostConnected();',
    ],
    [
      'this.__controllers?.forEach((c) => c.hostDisconnected?.());',
      'this.__controller.hostDisconnected();',
    ],
    ['this.__controllers?.forEach((c) => c.hostUpdate?.());', 'this.__controller.hostUpdate();'],
    ['this.__controllers?.forEach((c) => c.hostUpdated?.());', ''],
    // It is updated as soon as it is to be, once it is connected.
    ['if (!this.isUpdatePending) { return; }', ''],
    [
      'if (!this.hasUpdated) { this.renderRoot ??= this.createRenderRoot();',
      'if (!this.hasUpdated) {',
    ],
    ['let shouldUpdate = false;', ''],
    ['shouldUpdate = this.shouldUpdate(changedProperties); if (shouldUpdate) {', '{'],
    ['shouldUpdate = false;', ''],
    ['if (shouldUpdate) {', ''],
    ['this.update(changedProperties); } else { this.__markUpdated(); }', 'this.update(); }'],
    [
      `this._$didUpdate(changedProperties); } } willUpdate(_changedProperties) { }
      _$didUpdate(changedProperties) {`,
      '',
    ],
    ['this.firstUpdated(changedProperties)', 'this.firstUpdated()'],
    ['this.updated(changedProperties)', 'this.updated()'],
    ['is, defineProperty,', ''],
    ['const global = globalThis;', ''],
    ['global .trustedTypes', 'undefined'],
    [
      'const result = this.scheduleUpdate(); if (result != null) { await result; }',
      'await this.scheduleUpdate();',
    ],
    ['this.willUpdate(changedProperties);', ''],
    ['return this.getUpdateComplete();', 'return this.__updatePromise;'],
    ['this.__markUpdated();', 'this.isUpdatePending = false;'],
    // A root that a page has declared is the one that is attached.
    [
      'this.renderRoot ??= this.createRenderRoot(); this.enableUpdating(true);',
      `if (!this.renderRoot) (this.renderRoot = this.attachShadow({ mode: 'open' }))
      .adoptedStyleSheets = [this.constructor.styles]; this.enableUpdating(true);`,
    ],
  ],
  unused: [
    ...[
      'addInitializer',
      'getPropertyDescriptor',
      'finalizeStyles',
      'removeController',
      'shouldUpdate',
    ],
    ...['getUpdateComplete', 'scheduleUpdate', 'enableUpdating', 'updated', 'firstUpdated'],
    ...['getPropertyOptions', 'createProperty', '__prepare', '_$changeProperty'],
    ...['__markUpdated', 'createRenderRoot'],
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
    // Handlers know their element, the root is empty at first.
    [
      'constructor() { super(...arguments); this.renderOptions = { host: this }; this.__childPart = undefined; }',
      '',
    ],
    [
      'this.__childPart = render(value, this.renderRoot, this.renderOptions)',
      'render(value, this.renderRoot)',
    ],
  ],
  // Without directives nobody asks whether a part is connected.
  unused: ['connectedCallback', 'disconnectedCallback', 'createRenderRoot', 'render'],
};

const LIT_HTML: LitFacts = {
  facts: [
    PRODUCTION,
    ['const ENABLE_EXTRA_SECURITY_HOOKS = true', 'const ENABLE_EXTRA_SECURITY_HOOKS = false'],
    ['const ENABLE_SHADYDOM_NOPATCH = true', 'const ENABLE_SHADYDOM_NOPATCH = false'],
    [': global.litHtmlPolyfillSupport', ': undefined'],
    [`(global.litHtmlVersions ??= []).push('3.3.3')`, ''],
    [
      `trustedTypes ? trustedTypes.createPolicy('lit-html', { createHTML: (s) => s, }) : undefined`,
      `trustedTypes?.createPolicy('lit-html', { createHTML: (s) => s })`,
    ],
    ['policy !== undefined ? policy', 'policy ? policy'],
    ['const isArray = Array.isArray;', ''],
    ['isArray(value) ||', ''],
    ['!isArray(tsa)', '!Array.isArray(tsa)'],
    // Where nothing is, nothing is cleared.
    ['if (this._$committedValue !== nothing) {', '{'],
    // Every template is compiled: see `compile-templates.ts`.
    [`typeof type === 'number'`, 'false'],
    [
      `type.el === undefined && (type.el =
      Template.createElement(trustFromTemplateString(type.h, type.h[0]), this.options))`,
      `type.el ??= Object.assign(d.createElement('template'),
        { innerHTML: trustFromTemplateString(type.h, type.h[0]) })`,
    ],
    // A template of this file is never invalid.
    [`let message = 'invalid template strings array'`, `let message = ''`],
    ['_getTemplateHtml: getTemplateHtml,', ''],
    ['const marker = `lit$${Math.random().toFixed(9).slice(2)}$`', `const marker = ''`],
    [
      `const tagEndRegex = new RegExp(\`>|\${SPACE_CHAR}(?:(\${NAME_CHAR}+)(\${SPACE_CHAR}*=\${SPACE_CHAR}*(?:\${ATTR_VALUE_CHAR}|("|')|))|$)\`, 'g')`,
      'const tagEndRegex = 0',
    ],
    ['const templateCache = new WeakMap()', 'const templateCache = 0'],
    [
      `let node = walker.nextNode(); let nodeIndex = 0; let partIndex = 0;
      let templatePart = parts[0]; while (templatePart !== undefined) {
      if (nodeIndex === templatePart.index) {`,
      `let node; let nodeIndex = -1; for (const templatePart of parts) {
      while (nodeIndex < templatePart.index) { node = walker.nextNode(); nodeIndex++; } {`,
    ],
    [
      `templatePart = parts[++partIndex]; } if (nodeIndex !== templatePart?.index) {
      node = walker.nextNode(); nodeIndex++; }`,
      '}',
    ],
    // A part is one of an attribute, or of a property, where it has a name; each is whole.
    ['templatePart.type === CHILD_PART', 'false'],
    ['else if (templatePart.type === ATTRIBUTE_PART)', 'else'],
    ['else if (templatePart.type === ELEMENT_PART)', 'if (false)'],
    [
      'templatePart.name, templatePart.strings, this, options)',
      'templatePart.name ?? node.nextSibling)',
    ],
    ['this._$parts.push(part);', ''],
    [
      'part = new templatePart.ctor(node, templatePart.name ?? node.nextSibling)',
      'this._$parts.push(new templatePart.ctor(node, templatePart.name ?? node.nextSibling))',
    ],
    ['new TemplateInstance(template, this)', 'new TemplateInstance(template)'],
    ['constructor(element, name, strings, parent, options) {', 'constructor(element, name) {'],
    ["if (strings.length > 2 || strings[0] !== '' || strings[1] !== '') {", 'if (false) {'],
    ['const strings = this.strings;', 'const strings = undefined;'],
    ['part.strings !== undefined', 'false'],
    // There are no directives, which alone want to know whether they are connected.
    ['options?.creationScope ?? d', 'd'],
    ['value = resolveDirective(this, value, directiveParent, 0);', ''],
    ['resolveDirective(this, values[valueIndex + i], directiveParent, i)', '0'],
    ['resolveDirective(this, newListener, directiveParent, 0)', '0'],
    ['_$setValue(value, directiveParent = this, valueIndex, noCommit)', '_$setValue(value)'],
    ['_$setValue(value, directiveParent = this)', '_$setValue(value)'],
    ['if (part !== undefined) {', '{'],
    ['constructor(template, parent) {', 'constructor(template) {'],
    ['this._$parent = parent;', ''],
    ['_clone(options)', '_clone()'],
    ['instance._clone(this.options)', 'instance._clone()'],
    ['constructor(startNode, endNode, parent, options) {', 'constructor(startNode, endNode) {'],
    ['this.options = options;', ''],
    ['this._$notifyConnectionChanged?.(false, true, from)', ''],
    ['this._$disconnectableChildren = undefined;', ''],
    ['this.__isConnected = options?.isConnected ?? true;', ''],
    ['this.type = CHILD_PART;', ''],
    ['this.type = ATTRIBUTE_PART;', ''],
    ['constructor() { super(...arguments); this.type = PROPERTY_PART; }', ''],
    // Values are texts, templates and functions, or nothing at all.
    [`const nothing = Symbol.for('lit-nothing')`, 'const nothing = undefined'],
    [`const noChange = Symbol.for('lit-noChange')`, 'const noChange = 0'],
    [
      `this._$committedValue !== nothing && isPrimitive(this._$committedValue)`,
      'this._$committedValue !== nothing && !this._$committedValue._$template',
    ],
    [
      'this._$clear(); } this._$committedValue = nothing;',
      'this._$clear(); } this._$committedValue = undefined;',
    ],
    ['this._$committedValue = nothing;', ''],
    [
      'value = resolveDirective(this, value, directiveParent); if (isPrimitive(value)) {',
      `if (value?.['_$litType$'] === undefined) {`,
    ],
    [`value === nothing || value == null || value === ''`, 'value == null'],
    ['let change = false;', ''],
    [
      `change = !isPrimitive(value) || (value !== this._$committedValue && value !== noChange);
      if (change) { this._$committedValue = value; }`,
      'if (value === this._$committedValue) return; this._$committedValue = value;',
    ],
    ['if (change && !noCommit) {', '{'],
    // part
    ['value === nothing ? undefined : value', 'value'],
    ["value ?? ''", 'value'],
    ['value === noChange', 'false'],
    ['v === noChange', 'false'],
    ['value !== noChange', 'true'],
    [`value['_$litType$'] !== undefined`, 'true'],
    // Where something is put, there is nothing any more.
    ['if (this._$committedValue !== value) {', '{'],
    ['this._$committedValue = this._insert(value)', 'this._$startNode.after(value)'],
    ['start = wrap(this._$startNode).nextSibling, from', ''],
    [
      'while (start !== this._$endNode)',
      'let start = this._$startNode.nextSibling; while (start !== this._$endNode)',
    ],
    ['wrap(start)', 'start'],
    [`let part = partOwnerNode['_$litPart$']`, 'let part'],
    ['if (part === undefined) {', '{'],
    [`partOwnerNode['_$litPart$'] = part =`, `part = partOwnerNode['_$litPart$'] ??=`],
    // What is rendered is one element's shadow root, which is empty at first.
    ['(value, container, options) =>', '(value, container) =>'],
    ['options?.renderBefore ?? container', 'container'],
    ['const endNode = options?.renderBefore ?? null;', ''],
    [
      'container.insertBefore(createMarker(), endNode), endNode, undefined, options ?? {}',
      'container.appendChild(createMarker()), null',
    ],
  ],
  unused: [
    ...['_$getTemplate', '_$isConnected', 'setConnected', 'startNode', 'endNode', 'tagName'],
    ...['parentNode', '_commitIterable', '_insert'],
  ],
};

/** By the name of the file. */
export const LIT_FACTS: Readonly<Record<string, LitFacts>> = {
  'css-tag.js': CSS_TAG,
  'reactive-element.js': REACTIVE_ELEMENT,
  'lit-element.js': LIT_ELEMENT,
  'lit-html.js': LIT_HTML,
};

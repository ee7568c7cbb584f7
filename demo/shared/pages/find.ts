/** The one element that a page must have; a page without it is broken, and says which. */
export function find<T extends Element>(root: ParentNode, selector: string, type: new () => T): T {
  const element = root.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`This page needs a ${type.name} at ${selector}.`);
}

/** A node of a syntax tree, as far as every node has it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** `root` and all below it, in the order of the source. */
export function* walk(root: object): Generator<Node> {
  if ('type' in root) yield root as Node;
  for (const child of Object.values(root)) {
    if (typeof child === 'object' && child !== null) yield* walk(child as object);
  }
}

import { executeServerCommand } from '@web/test-runner-commands';

/** A node of the browser's accessibility tree, as far as the tests read it. */
export interface AccessibleNode {
  readonly role: string;
  readonly name: string;
  readonly description: string;
  /** The element, the same one in each tree. */
  readonly element: number;
  readonly isFocused: boolean;
  /** Whether a screen reader says what changes in it. */
  readonly isLive: boolean;
  readonly parent: AccessibleNode | undefined;
}

interface DevToolsNode {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly backendDOMNodeId: number;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly description?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { value: unknown } }[];
}

/** What a screen reader has to go by, without what the browser leaves out. */
export async function accessibilityTree(): Promise<readonly AccessibleNode[]> {
  const nodes = await executeServerCommand<DevToolsNode[], undefined>('accessibility-tree');
  const found = new Map<string | undefined, AccessibleNode>();
  // Parents come before their children.
  for (const one of nodes) {
    const { nodeId, parentId, ignored, backendDOMNodeId, role, name, properties } = one;
    const parent = found.get(parentId);
    const has = (wanted: string): boolean =>
      properties?.some((one) => one.name === wanted && one.value.value !== false) ?? false;
    const node: AccessibleNode = {
      role: role?.value ?? '',
      name: name?.value ?? '',
      description: one.description?.value ?? '',
      element: backendDOMNodeId,
      isFocused: has('focused'),
      isLive: has('live') || (parent?.isLive ?? false),
      parent,
    };
    found.set(nodeId, ignored && parent ? parent : node);
  }
  return [...new Set(found.values())];
}

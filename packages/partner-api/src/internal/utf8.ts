// `getBuiltinModule` instead of an import: this file is loaded where there is no Node, too.
const node = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:buffer');

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * The text of UTF-8 bytes without a byte order mark, or `undefined` when they are no valid UTF-8.
 * Node has a way that is faster than its `TextDecoder`, which goes through UTF-16.
 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (node?.isUtf8 === undefined) return decodeAnywhere(bytes);
  if (!node.isUtf8(bytes)) return undefined;
  const start = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte)
    ? BYTE_ORDER_MARK.length
    : 0;
  const { buffer, byteOffset, byteLength } = bytes.subarray(start);
  return node.Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** The same with what every platform has. */
export function decodeAnywhere(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The UTF-8 bytes of a text; in Node by what is faster than its `TextEncoder`. */
export function encodeUtf8(text: string): Uint8Array {
  return node === undefined ? new TextEncoder().encode(text) : node.Buffer.from(text);
}

/** The bytes of a body. Nearly every one is a single chunk, which need not be copied. */
export function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/** Says whether a text is an absolute http or https address. */
export function isWebAddress(value: string): boolean {
  const address = URL.parse(value);
  return address !== null && /^https?:\/\//i.test(value) && /^https?:$/.test(address.protocol);
}

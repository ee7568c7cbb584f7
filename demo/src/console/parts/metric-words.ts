/** The provider's own names, easier to read: `total_volume` → `Total volume`. */
export function humanise(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/\s+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the team of a shop needs for its payment page: its policy, and the list of its scripts. */
export { csp, type CspOptions, type PageCsp } from './csp.js';
export {
  describeInventory,
  type InventoryOptions,
  type InventoryPage,
  type InventoryScript,
  scriptInventory,
} from './script-inventory.js';
export { TRUSTED_TYPES_POLICIES } from './tag-sources.js';

import type { Brand } from './brand.js';
import { hollinAndSlip } from './hollin-and-slip/brand.js';
import { seventhCloud } from './seventh-cloud/brand.js';

/** Every shop that this demo can be. */
export const BRANDS: readonly Brand[] = [hollinAndSlip, seventhCloud];

export function findBrand(id: string): Brand | undefined {
  return BRANDS.find((brand) => brand.id === id);
}

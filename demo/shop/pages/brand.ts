/** The brand that these pages are built for: `vite build --mode <its id>`. */
import type { Brand } from '../../brands/brand.js';
import { hollinAndSlip } from '../../brands/hollin-and-slip/brand.js';
import { seventhCloud } from '../../brands/seventh-cloud/brand.js';

const isSecond = import.meta.env.MODE === 'seventh-cloud';

export const brand: Brand = isSecond ? seventhCloud : hollinAndSlip;

const files = isSecond
  ? import.meta.glob<string>('../../brands/seventh-cloud/*.svg', {
      query: '?raw',
      import: 'default',
      eager: true,
    })
  : import.meta.glob<string>('../../brands/hollin-and-slip/*.svg', {
      query: '?raw',
      import: 'default',
      eager: true,
    });

/** The picture of a product: SVG, from our own files. */
export function findPicture(sku: string): string {
  return files[`../../brands/${brand.id}/${sku}.svg`] ?? '';
}

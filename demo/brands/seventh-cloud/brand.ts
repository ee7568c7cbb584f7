/** The second shop: coffee, in Arabic, at prices with three decimals. */
import type { Brand } from '../brand.js';
import { words } from './words.js';

export const seventhCloud: Brand = {
  id: 'seventh-cloud',
  name: 'محمصة الغيمة السابعة',
  language: 'ar',
  direction: 'rtl',
  orderPrefix: 'R',
  currency: 'KWD',
  deliveryMinor: 500,
  freeDeliveryFromMinor: 10_000,
  countries: [
    { name: 'الكويت', postcode: /^\d{5}$/ },
    { name: 'السعودية', postcode: /^\d{5}$/ },
  ],
  themeColor: { light: '#fff7ee', dark: '#1d1511' },
  checkoutLook: { accent: { light: '#8a3b12', dark: '#f3b58d' }, radius: 14, font: 'serif' },
  hasPlayground: false,
  words,
  hero: ['cardamom-noon', 'first-cloud', 'long-night'],
  products: [
    {
      sku: 'first-cloud',
      name: 'السحابة الأولى',
      summary: 'تحميص فاتح، نكهة زهر الليمون. 250 غ.',
      priceMinor: 3750,
    },
    {
      sku: 'cardamom-noon',
      name: 'ظهيرة الهيل',
      summary: 'مطحونة مع الهيل للقهوة العربية. 250 غ.',
      priceMinor: 4125,
    },
    {
      sku: 'long-night',
      name: 'الليل الطويل',
      summary: 'تحميص داكن، نكهة الكاكاو والتمر. 500 غ.',
      priceMinor: 6900,
    },
  ],
};

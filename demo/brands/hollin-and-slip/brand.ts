/** The first shop: pots and tea, in English. */
import type { Brand } from '../brand.js';
import { words } from './words.js';

export const hollinAndSlip: Brand = {
  id: 'hollin-and-slip',
  name: 'Hollin & Slip',
  language: 'en-GB',
  direction: 'ltr',
  orderPrefix: 'A',
  currency: 'GBP',
  deliveryMinor: 395,
  freeDeliveryFromMinor: 5000,
  countries: [
    { name: 'United Kingdom', postcode: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/ },
    { name: 'Ireland', postcode: /^[A-Z]\d[\dW] ?[A-Z\d]{4}$/ },
  ],
  themeColor: { light: '#eef1ec', dark: '#11191b' },
  checkoutLook: {
    logo: 'logo.png',
    accent: { light: '#27408b', dark: '#a9bcf6' },
    radius: 10,
    font: 'humanist',
  },
  hasPlayground: true,
  words,
  hero: ['night-vase', 'moon-teapot', 'two-tone-cup'],
  products: [
    {
      sku: 'moon-teapot',
      name: 'Moon teapot',
      summary: 'Round, low and steady. Holds three cups. Celadon over grey stoneware.',
      priceMinor: 6800,
    },
    {
      sku: 'two-tone-cup',
      name: 'Two-tone cup',
      summary: 'No handle, thick walls: warm in the hand and slow to cool.',
      priceMinor: 1850,
    },
    {
      sku: 'hill-green-tea',
      name: 'Hill green tea',
      summary: 'Pan-fired spring leaf, a little nutty. 100 g in a tin.',
      priceMinor: 1240,
    },
    {
      sku: 'night-vase',
      name: 'Night vase',
      summary: 'Tall, ink blue, for three stems and not one more.',
      priceMinor: 5400,
    },
    {
      sku: 'smoked-black-tea',
      name: 'Smoked black tea',
      summary: 'Dried over pine. For rain and long letters. 100 g in a tin.',
      priceMinor: 1190,
    },
    {
      sku: 'breakfast-bowl',
      name: 'Breakfast bowl',
      summary: 'Deep enough for soup, pretty enough for plums.',
      priceMinor: 2250,
    },
    {
      sku: 'honey-jar',
      name: 'Honey jar',
      summary: 'Lidded, with a beech dipper. Iron glaze, one of a kind each time.',
      priceMinor: 3175,
    },
    {
      sku: 'bamboo-whisk',
      name: 'Bamboo whisk',
      summary: 'Eighty tines, split by hand, on a stand that keeps its shape.',
      priceMinor: 999,
    },
    {
      sku: 'tall-jug',
      name: 'Tall jug',
      summary: 'Pours without a drip. Milk, water, or a bunch of mint.',
      priceMinor: 3950,
    },
    {
      sku: 'camomile-sachets',
      name: 'Camomile sachets',
      summary: 'Whole flowers in twelve little bags, for the last cup of the day.',
      priceMinor: 720,
    },
    {
      sku: 'oval-plate',
      name: 'Oval plate',
      summary: 'A brushed ring of cobalt on white. For cake, mostly.',
      priceMinor: 2600,
    },
    {
      sku: 'cast-kettle',
      name: 'Cast kettle',
      summary: 'Iron, with a plaited handle. Heavy, and meant to be.',
      priceMinor: 8900,
    },
  ],
};

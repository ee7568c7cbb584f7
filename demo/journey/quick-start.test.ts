/** The code of README.md in a real browser: it takes the place of the demo's own shop. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deriveApiKey } from '../stack/secrets.js';
import { findPackageDirectory } from '../stack/settings.js';
import { Journey } from './journey.js';
import { CARDS, PAID } from './shopper.js';

const README = join(import.meta.dirname, '../../README.md');
/** An entry whose orders are put. */
const MERCHANT = 'playground-promise';
/** The addresses of its shoppers are checked. */
const ADDRESS = `address: { address1: '12 Sample Street', postcode: 'ZZ1 1ZZ' }`;

let journey: Journey;
let shop: ChildProcess;
let folder: string;

beforeAll(async () => {
  journey = await Journey.start();
  const { addresses, secrets, ports, kill } = journey.stack;
  await kill('shop');
  const [, code = ''] =
    /^```js\n([^]*?pay\.orders\.put[^]*?)^```$/m.exec(readFileSync(README, 'utf8')) ?? [];
  const program = code
    .replace("'https://pay.example'", `'${addresses.payApi}'`)
    .replace('${server}/v1/pay-checkout.js', `${addresses.pay}/v1/pay-checkout.js`)
    .replace("currency: 'GBP' }", `currency: 'GBP', ${ADDRESS} }`)
    .replace('console.log(`Order ${order} is paid: fulfil it.`)', 'process.send({ paid: order })')
    .replaceAll('teashop', MERCHANT)
    .replace("'/events'", `'/api/events/${MERCHANT}'`)
    .replace('3000', `${String(ports.shop.port)}, '127.0.0.1', () => process.send('listening')`);
  folder = mkdtempSync(join(tmpdir(), 'quick-start-'));
  mkdirSync(join(folder, 'node_modules/@pay-checkout'), { recursive: true });
  for (const name of ['@pay-checkout/merchant', 'express']) {
    symlinkSync(findPackageDirectory(name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'shop.mjs'), program);
  shop = spawn(process.execPath, [join(folder, 'shop.mjs')], {
    env: {
      PAY_CHECKOUT_API_KEY: deriveApiKey(secrets, MERCHANT),
      PAY_CHECKOUT_SIGNING_SECRET: secrets.signingSecret,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(shop, 'message');
});

afterAll(async () => {
  shop.kill();
  await journey.stop();
  rmSync(folder, { recursive: true });
});

it('the code of README.md takes a payment, and the shop knows that the order is paid', async () => {
  const shopper = await journey.shopper();
  const { page } = shopper;
  const address = `${journey.addresses.shop}/pay/A1001`;
  const paid = once(shop, 'message');
  await page.goto(address);
  await shopper.button(/^Pay/).click();
  await shopper.payWith(CARDS.approved);
  await shopper.reads(PAID);
  const [message] = (await paid) as unknown[];
  expect(message).toEqual({ paid: 'A1001' });
  await page.goto(address);
  await page.getByText('This order is paid.').waitFor();
  await shopper.close();
});

// Goes on with an iteration in a process of its own, with the built package.
import { PartnerClient } from '@pay-checkout/partner-api';

const [, , baseUrl, checkpoint, filters] = process.argv;
const client = new PartnerClient({ apiKey: 'test-key', baseUrl });
const ids = [];
for await (const row of client.transactions.resume(checkpoint, JSON.parse(filters))) {
  ids.push(row.id);
}
console.log(JSON.stringify(ids));

// Reads one page in a process of its own, with the built package.
import { PartnerClient } from '@pay-checkout/partner-api';

const client = new PartnerClient({ apiKey: 'test-key', baseUrl: process.argv[2], maxRetries: 0 });
try {
  await client.transactions.list();
} catch (error) {
  console.log(error.name, error.outcome);
}

// Reads one page in a process of its own, with the built package.
import { PartnerClient } from '@pay-checkout/partner-api';

await new PartnerClient({ apiKey: 'test-key', baseUrl: process.argv[2] }).transactions.list();

/** The session server with the tuning that a journey wants, as JSON in the variable TUNING. */
import { parseConfig, runSessionServer, type TuningChanges } from '@pay-checkout/session-server';

const tuning = JSON.parse(process.env['TUNING'] ?? '{}') as TuningChanges;
await runSessionServer(parseConfig(process.env, tuning));

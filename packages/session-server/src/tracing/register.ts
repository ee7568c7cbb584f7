/**
 * Starts the OpenTelemetry SDK for traces, before the server is loaded:
 * `node --import @pay-checkout/session-server/opentelemetry …`. The `OTEL_` variables configure it; see
 * `docs/observability.md`. A process with an SDK of its own does not need it.
 */
import { startNodeSdk } from '@opentelemetry/sdk-node';

process.env['OTEL_SERVICE_NAME'] ??= 'pay-session-server';
// Metrics are for Prometheus, and the log is on standard output.
const sdk = startNodeSdk({ metricReaders: [], logRecordProcessors: [] });

// The server has ended: what is still waiting is sent.
process.once('beforeExit', () => void sdk.shutdown());

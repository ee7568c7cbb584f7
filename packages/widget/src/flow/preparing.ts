import type { SdkDescription } from '@pay-checkout/session-server/contract';
import { CodedError } from '../coded-error.js';
import { scriptNonce } from '../script-origin.js';
import { scriptSdk } from '../sdk/script-sdk.js';
import type { SdkAdapter } from '../sdk/sdk-adapter.js';
import type { FlowController } from './flow-controller.js';
import type { FlowHost } from './flow-host.js';
import { isElsewhere } from './modes.js';
import { fetchConfig } from './session-api.js';

/** Loads what a payment will need, before anybody asks. What fails here is told when it matters. */
export async function prepare(flow: FlowController, signal: AbortSignal): Promise<void> {
  const { host } = flow;
  const { adapter, createSession, serverUrl, merchant, mode } = host;
  if (isElsewhere(mode) || (createSession && !adapter)) return;
  try {
    if (!adapter) {
      const asked = (flow.configuration = fetchConfig(serverUrl, merchant ?? '', signal));
      const { sdk, environment } = await asked;
      flow.environment = environment;
      flow.sdk = sdk;
      if (flow.state.phase !== 'opening') host.requestUpdate();
      if (isElsewhere(flow.choose())) return;
    }
    await adapterOf(host, flow.sdk).load(signal);
    flow.teller.measure('loader');
  } catch {
    return;
  }
}

/** The page's own client SDK, or the one that the server describes. */
export function adapterOf(host: FlowHost, sdk: SdkDescription | undefined): SdkAdapter {
  const adapter = host.adapter ?? (sdk && scriptSdk(sdk, host.nonce || scriptNonce));
  if (!adapter) throw new CodedError('sdk_missing');
  return adapter;
}

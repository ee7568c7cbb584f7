import { setTimeout as sleep } from 'node:timers/promises';
import { benchMerchantId } from './merchant.ts';
import { round } from './load.ts';
import { startProcess } from './process.ts';
import { CONCURRENCY, createOne, submit } from './shopper.ts';

const SHOPPERS = 10_000;
const SECONDS = 30;

/** How often the provider's list is called while as many shoppers wait at few merchants or many. */
export async function measureLists(
  merchants: number,
  env: Readonly<Record<string, string>> & { readonly PROVIDER_URL: string },
): Promise<object> {
  const server = await startProcess('server.ts', { ...env, BENCH_MERCHANTS: String(merchants) });
  let shoppers = 0;
  const arrive = async (): Promise<void> => {
    for (let at = shoppers++; at < SHOPPERS; at = shoppers++) {
      await submit(server.url, await createOne(server.url, benchMerchantId(at % merchants)));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, arrive));
  const countCalls = async () =>
    (await (await fetch(`${env.PROVIDER_URL}/list-calls`)).json()) as number;
  const [callsBefore, before] = [await countCalls(), await server.usage()];
  await sleep(SECONDS * 1000);
  const [callsAfter, after] = [await countCalls(), await server.usage()];
  await server.stop();
  return {
    merchants,
    shoppers: SHOPPERS,
    listCallsAMinute: round(((callsAfter - callsBefore) * 60) / SECONDS),
    cpuShare: round((after.cpuMicros - before.cpuMicros) / (SECONDS * 1e6)),
    megabytes: Math.round(after.bytes / 2 ** 20),
  };
}

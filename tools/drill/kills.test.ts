import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const DRILL = fileURLToPath(new URL('./main.ts', import.meta.url));

/** One fault for each kind of step, and one at a new price; `npm run drill` plays them all. */
const FAULTS = [
  'provider:session-created pays',
  'return:record pays',
  'return:record pays the old price',
  'webhook:record vanishes',
  'poll:store-match vanishes',
  'shop:event-answered pays',
  'store:committed:5 pays',
];

async function drill(faults: readonly string[]): Promise<{ code: unknown; output: string }> {
  const only = faults.flatMap((fault) => ['--only', fault]);
  const child = spawn(process.execPath, [DRILL, ...only], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'exit') as Promise<unknown[]>,
  ]);
  return { code, output: output + errors };
}

describe('a session server that is killed in the middle of a step', () => {
  it('loses nothing that it acknowledged, and notifies the shop once', async () => {
    const { code, output } = await drill(FAULTS);
    expect(output).toContain(`${String(FAULTS.length)} faults, ${String(FAULTS.length)} deaths`);
    expect(output).toContain('lost: 0');
    expect(code, output).toBe(0);
  });
});

/**
 * Does to the session server what life may do, and counts what was lost, which must be nothing.
 * `tools/drill/README.md` says how to read what it prints.
 *
 *     node tools/drill/main.ts [<mode>] [<options of the mode>]…
 */

interface Mode {
  /** Answers the exit code. */
  run(args: readonly string[]): Promise<number>;
}

const DEFAULT_MODE = 'kills';
/** One file each, that is read when it is asked for. */
const MODES: Readonly<Record<string, () => Promise<Mode>>> = {
  [DEFAULT_MODE]: () => import('./kills.ts'),
  replicas: () => import('./replicas.ts'),
  soak: () => import('./soak.ts'),
  hostile: () => import('./hostile.ts'),
};

async function main([name = '', ...others]: readonly string[]): Promise<number> {
  const isNamed = name !== '' && !name.startsWith('--');
  const load = MODES[isNamed ? name : DEFAULT_MODE];
  if (load === undefined) {
    console.error(`There is no drill "${name}"; there are ${Object.keys(MODES).join(', ')}.`);
    return 2;
  }
  const mode = await load();
  return mode.run(isNamed ? others : process.argv.slice(2));
}

process.exitCode = await main(process.argv.slice(2));

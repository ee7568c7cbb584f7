import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { PROGRAM } from './server.ts';

const NAME = '@pay-checkout/session-server';
const INSTALLED = `node_modules/${NAME}`;

/** Another build of the server, as npm installs it. */
export interface PreviousBuild {
  readonly name: string;
  /** {@link PROGRAM} on that build. */
  readonly program: string;
}

/**
 * Finds or makes an earlier build, packed and installed in a folder of its own.
 *
 * @param wanted a folder in which one is installed, with pg; or a tag or commit, which is built, packed and
 *   installed in `.cache/previous`, once. Default: the newest release; before the first one, the oldest
 *   commit that has the tables of this one
 */
export function preparePrevious(wanted = findPrevious()): PreviousBuild {
  if (existsSync(join(wanted, INSTALLED))) return useInstalled(resolve(wanted), basename(wanted));
  const commit = git('rev-parse', '--short=10', `${wanted}^{commit}`);
  const folder = join(git('rev-parse', '--show-toplevel'), '.cache/previous', commit);
  const tarballs = join(folder, 'tarballs');
  if (!existsSync(tarballs)) packCommit(commit, tarballs);
  if (!existsSync(join(folder, INSTALLED))) installTarballs(folder, tarballs);
  return useInstalled(folder, commit);
}

function findPrevious(): string {
  const tag = git('tag', '--list', `${NAME}@*`, '--sort=-creatordate');
  const migrations = ['migrations', 'postgres-migrations'].map(
    (name) => `:/packages/session-server/src/store/${name}.ts`,
  );
  return tag.split('\n')[0] || git('log', '-1', '--format=%H', '--', ...migrations);
}

/** Packs the server of a commit and the packages of ours that it needs. */
function packCommit(commit: string, tarballs: string): void {
  console.log(`Building and packing ${commit} …`);
  const source = `${tarballs}-source`;
  git('worktree', 'add', '--force', '--detach', source, commit);
  const pnpm = (...words: string[]) => execFileSync('pnpm', words, { cwd: source });
  try {
    pnpm('install', '--frozen-lockfile', '--prefer-offline');
    pnpm('--filter', `${NAME}...`, 'run', 'build');
    mkdirSync(tarballs, { recursive: true });
    pnpm('--filter-prod', `${NAME}...`, 'exec', 'pnpm', 'pack', '--pack-destination', tarballs);
  } catch (error) {
    rmSync(tarballs, { recursive: true, force: true });
    throw error;
  } finally {
    git('worktree', 'remove', '--force', source);
  }
}

function installTarballs(folder: string, tarballs: string): void {
  const { devDependencies } = readManifest(new URL('..', import.meta.url).pathname);
  const packed = readdirSync(tarballs).map((file) => join(tarballs, file));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const options = ['--no-audit', '--no-fund', '--prefer-offline'];
  const pg = `pg@${String(devDependencies['pg'])}`;
  execFileSync('npm', ['install', ...options, ...packed, pg], { cwd: folder });
}

/** The program of the drill is no part of the package: it is written next to it. */
function useInstalled(folder: string, name: string): PreviousBuild {
  const { version } = readManifest(join(folder, INSTALLED));
  const program = join(folder, 'tuned-server.mjs');
  const source = readFileSync(PROGRAM, 'utf8').replaceAll('../../dist/', `./${INSTALLED}/dist/`);
  writeFileSync(program, source);
  return { name: `${version} (${name})`, program };
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
}

function git(...words: string[]): string {
  const cwd = new URL('..', import.meta.url).pathname;
  return execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();
}

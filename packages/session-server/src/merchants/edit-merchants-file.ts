import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { applyEdits, type JSONPath, modify } from 'jsonc-parser';
import type { Environment } from '../contract.js';
import { ConfigError, describeFileError } from '../errors.js';
import { parseMerchantsFile } from './merchant-source.js';

/** A change of one place of the file: an item or field is set, inserted into a list, or removed. */
export interface Edit {
  readonly path: JSONPath;
  /** Undefined removes it. */
  readonly value: unknown;
  readonly isInsertion?: boolean;
  /** The field that a new field comes after. Default: the last one. */
  readonly after?: string;
}

/**
 * Changes a merchants file in one step: a server that reads it at the same time finds the old file or
 * the new one. Everything that is not changed keeps its text, order and permissions.
 *
 * @param plan gives the edits, and is handed the file as it is written, once that is known to be valid
 * @throws {ConfigError} and changes nothing: when the file is invalid before or after, when it is
 * changed by others at the same time, or when it cannot be written
 */
export function editMerchantsFile(
  path: string,
  environment: Environment,
  plan: (file: { merchants: Record<string, unknown>[] }) => readonly Edit[],
): void {
  const refuse = (why: string): ConfigError => new ConfigError(`merchants file ${path}`, [why]);
  const target = attempt(() => realpathSync(path), refuse);
  if (statSync(target).isDirectory()) {
    throw refuse('it is a folder: edit the file in it that has the merchant');
  }
  const draft = `${target}.lock`;
  const descriptor = attempt(() => openSync(draft, 'wx', 0o600), refuse, draft);
  try {
    const before = attempt(() => readFileSync(target, 'utf8'), refuse);
    parseMerchantsFile([{ text: before.replace(/^\uFEFF/, '') }], path, environment);
    const after = applyAll(before, plan);
    checkResult(after.replace(/^\uFEFF/, ''), path, environment);
    attempt(() => {
      writeFileSync(descriptor, after);
      keepRights(descriptor, draft, target);
      fsyncSync(descriptor);
    }, refuse);
    const now = attempt(() => readFileSync(target, 'utf8'), refuse);
    if (now !== before)
      throw refuse('it was changed in the meantime; nothing was written: try again');
    attempt(() => {
      renameSync(draft, target);
      syncFolder(dirname(target));
    }, refuse);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

function applyAll(text: string, plan: Parameters<typeof editMerchantsFile>[2]): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const json = text.slice(bom.length);
  const [, indent = '  '] = /^([ \t]+)"/m.exec(json) ?? [];
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: json.includes('\r\n') ? '\r\n' : '\n',
  };
  const edits = plan(JSON.parse(json) as { merchants: Record<string, unknown>[] });
  const changed = edits.reduce((part, { path, value, isInsertion = false, after }) => {
    const options = {
      formattingOptions,
      isArrayInsertion: isInsertion,
      getInsertionIndex: (names: string[]) =>
        after === undefined ? names.length : names.indexOf(after) + 1,
    };
    return applyEdits(part, modify(part, path, value, options));
  }, json);
  return bom + changed;
}

/** Without the places: they would be in a file that is not there. */
function checkResult(text: string, path: string, environment: Environment): void {
  try {
    parseMerchantsFile([{ text }], path, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mistakes = error.mistakes.map((mistake) =>
      mistake.replace(/^merchants\.\d+\.(\S+) \(line \d+, column \d+\)/, '$1'),
    );
    throw new ConfigError('nothing was changed', mistakes);
  }
}

/** The new file has the mode of the old one, and its owner where this user may give it away. */
function keepRights(descriptor: number, draft: string, target: string): void {
  const { mode, uid, gid } = statSync(target);
  if (process.getuid?.() === 0) chownSync(draft, uid, gid);
  fchmodSync(descriptor, mode & 0o777);
}

function attempt<T>(work: () => T, refuse: (why: string) => ConfigError, draft = ''): T {
  try {
    return work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw refuse(`another command is changing it; if none is, delete ${draft}`);
    }
    if (['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'ENOSPC'].includes(code)) {
      throw refuse(`it or its folder cannot be written to (${code}); nothing was changed`);
    }
    throw refuse(describeFileError(error));
  }
}

/** Makes the rename durable. Windows cannot open a folder, and needs no such step. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { describeError } from './logger.js';

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it was to throw');
}

describe('what the log says of an error', () => {
  it('names the reason of SQLite, without the words of a statement', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('PRAGMA max_page_count = 1');
    const full = errorOf(() => database.exec('CREATE TABLE secret (text TEXT)'));
    expect(describeError(full)).toMatchObject({
      error: 'Error',
      reason: 'database or disk is full',
    });
    const wrong = describeError(errorOf(() => database.exec('SELECT secret')));
    expect(wrong).toMatchObject({ reason: 'SQL logic error' });
    expect(JSON.stringify({ ...wrong, at: [] })).not.toContain('secret');
    database.close();
  });

  it('names the code of the system, without the path', () => {
    const path = 'no-such-folder/no-such-file';
    expect(existsSync(path)).toBe(false);
    const described = describeError(errorOf(() => readFileSync(path)));
    expect(described).toMatchObject({ reason: 'ENOENT' });
    expect(JSON.stringify({ ...described, at: [] })).not.toContain('no-such');
  });

  it('gives no reason where there is none, and never the message', () => {
    const described = describeError(new TypeError('a name and an address'));
    expect(described).toMatchObject({ error: 'TypeError' });
    expect(described).not.toHaveProperty('reason');
    expect(JSON.stringify({ ...described, at: [] })).not.toContain('address');
  });
});

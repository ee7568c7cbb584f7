import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NamedStatement } from './named-statement.js';

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec("CREATE TABLE notes (id INTEGER, text TEXT); INSERT INTO notes VALUES (1, 'one')");
});
afterEach(() => {
  database.close();
});

const find = (where: string): NamedStatement =>
  new NamedStatement(database, `SELECT id FROM notes WHERE ${where}`);

it('a statement takes its values by their names, in whatever order they are given', () => {
  const change = new NamedStatement(
    database,
    'UPDATE notes SET text = :text, id = :next WHERE id = :id',
  );
  expect(change.run({ id: 1, next: 2, text: 'two' })).toBe(1);
  expect(find('text = :text').all({ text: 'two' })).toMatchObject([{ id: 2 }]);
  expect(find('text = :text').get({ text: 'one' })).toBeUndefined();
});

it('a name that stands twice has its value in both places', () => {
  const statement = find('id = :id AND :id < :most');
  expect(statement.get({ most: 5, id: 1 })).toMatchObject({ id: 1 });
  expect(statement.get({ most: 1, id: 1 })).toBeUndefined();
});

it('a value that is missing is refused by its name, and null is a value', () => {
  const statement = find('text IS NOT :text');
  expect(() => statement.get({})).toThrow(':text');
  expect(statement.get({ text: null })).toMatchObject({ id: 1 });
});

/** What a column holds. A missing value is stored as NULL. */
export type SqlValue = string | number | null | undefined | Uint8Array;

type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement, or a part of one: its text apart from its values, so that no value is ever read as SQL. */
export class Sql {
  /** @param parts the text before, between and after the values */
  constructor(
    readonly parts: readonly string[],
    readonly values: readonly SqlValue[],
  ) {}
}

/**
 * SQL as both engines read it. What stands in `${}` is bound as a value, or inserted when it is a
 * part made by this tag itself.
 *
 * @example tx.get(sql`SELECT * FROM checkouts WHERE id = ${id}`)
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]): Sql {
  if (!values.some((value) => value instanceof Sql)) {
    return new Sql(strings, values as SqlValue[]);
  }
  const parts = [strings[0] ?? ''];
  const bound: SqlValue[] = [];
  const extendLast = (text: string): void => {
    parts.push(`${parts.pop() ?? ''}${text}`);
  };
  values.forEach((value, index) => {
    const next = strings[index + 1] ?? '';
    if (value instanceof Sql) {
      extendLast(value.parts[0] ?? '');
      parts.push(...value.parts.slice(1));
      extendLast(next);
      bound.push(...value.values);
    } else {
      parts.push(next);
      bound.push(value);
    }
  });
  return new Sql(parts, bound);
}

/** The values of an `IN`, in parentheses. @throws {RangeError} when there is none: nothing has to be asked */
sql.list = (values: readonly (string | number)[]): Sql => {
  if (values.length === 0) throw new RangeError('an IN of no values matches nothing');
  return new Sql(['(', ...values.slice(1).map(() => ', '), ')'], values);
};

/** `INSERT` of one row or more, by the names of their columns; one that is always undefined is left out. */
sql.insert = (table: string, ...rows: [SqlRow, ...SqlRow[]]): Sql => {
  const columns = Object.keys(rows[0]).filter((name) =>
    rows.some((row) => row[name] !== undefined),
  );
  const between = columns.slice(1).map(() => ', ');
  const values = rows
    .map(
      (row) =>
        new Sql(
          ['(', ...between, ')'],
          columns.map((name) => row[name]),
        ),
    )
    .reduce((others, one) => sql`${others}, ${one}`);
  return sql`${new Sql([`INSERT INTO ${table} (${columns.join(', ')}) VALUES `], [])}${values}`;
};

/**
 * A common table expression of rows of whole numbers, for after `WITH`. It is typed by its first row, as
 * PostgreSQL needs it.
 */
sql.values = (
  name: string,
  columns: readonly string[],
  rows: readonly (readonly (number | undefined)[])[],
): Sql => {
  const row = (cells: readonly (number | undefined)[], isFirst: boolean): Sql => {
    const [open, close] = isFirst ? ['CAST(', ' AS BIGINT)'] : ['', ''];
    const between = cells.slice(1).map(() => `${close}, ${open}`);
    return new Sql([`(${open}`, ...between, `${close})`], cells);
  };
  const all = rows.map((cells, index) => row(cells, index === 0));
  const body = all.reduce((text, next) => sql`${text}, ${next}`);
  return sql`${new Sql([`${name} (${columns.join(', ')})`], [])} AS (VALUES ${body})`;
};

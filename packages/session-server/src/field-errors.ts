import type { z } from 'zod';
import type { FieldError } from './errors.js';

/**
 * Every field that is wrong, as the caller spells it.
 *
 * @param whole what the input is called, where no field of it is to blame
 */
export function toFieldErrors({ issues }: z.core.$ZodError, whole = 'body'): FieldError[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: 'not accepted here; leave it out',
        }))
      : [{ field: issue.path.join('.') || whole, message: issue.message }],
  );
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Words for a mistake whose schema has none of its own; hand it to `safeParse` as `error`. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = `expected ${KINDS[issue.expected] ?? issue.expected}`;
      return issue.input === undefined ? `is missing; ${expected}` : expected;
    }
    case 'too_small':
      return `expected ${sizeOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `expected ${sizeOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return 'is not of the expected form';
  }
};

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  const unit = { string: 'characters', array: 'items' }[origin];
  return `${bound} ${String(size)}${unit === undefined ? '' : ` ${unit}`}`;
}

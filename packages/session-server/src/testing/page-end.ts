import type { PageEnd } from '@pay-checkout/partner-api';

/** The end of a page of the provider's list: more follows at a cursor, or nothing. */
export function endAt(cursor: string | false): PageEnd {
  return cursor === false ? { kind: 'complete' } : { kind: 'more', cursor };
}

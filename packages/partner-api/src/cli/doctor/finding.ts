/** What a check found, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail' | 'skip';
  readonly detail: string;
  readonly fix?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, result: 'ok', detail };
}

export function warn(check: string, detail: string, fix: string): Finding {
  return { check, result: 'warn', detail, fix };
}

export function fail(check: string, detail: string, fix: string): Finding {
  return { check, result: 'fail', detail, fix };
}

/** Nothing to look at; `fix` says what to give so that there is. */
export function skip(check: string, detail: string, fix: string): Finding {
  return { check, result: 'skip', detail, fix };
}

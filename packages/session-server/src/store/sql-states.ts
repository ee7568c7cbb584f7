/** What PostgreSQL calls the errors that an operator may meet, from Appendix A of its manual, by SQLSTATE. */
const CONDITIONS: Readonly<Partial<Record<string, string>>> = {
  '08000': 'connection_exception',
  '08003': 'connection_does_not_exist',
  '08006': 'connection_failure',
  '08P01': 'protocol_violation',
  '0A000': 'feature_not_supported',
  '22021': 'character_not_in_repertoire',
  '23502': 'not_null_violation',
  '23503': 'foreign_key_violation',
  '23505': 'unique_violation',
  '23514': 'check_violation',
  '25006': 'read_only_sql_transaction',
  '25P02': 'in_failed_sql_transaction',
  '25P03': 'idle_in_transaction_session_timeout',
  '28000': 'invalid_authorization_specification',
  '28P01': 'invalid_password',
  '3D000': 'invalid_catalog_name',
  '3F000': 'invalid_schema_name',
  '40001': 'serialization_failure',
  '40P01': 'deadlock_detected',
  '42501': 'insufficient_privilege',
  '42601': 'syntax_error',
  '42703': 'undefined_column',
  '42883': 'undefined_function',
  '42P01': 'undefined_table',
  '53000': 'insufficient_resources',
  '53100': 'disk_full',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '53400': 'configuration_limit_exceeded',
  '55P03': 'lock_not_available',
  '57014': 'query_canceled',
  '57P01': 'admin_shutdown',
  '57P02': 'crash_shutdown',
  '57P03': 'cannot_connect_now',
  '57P04': 'database_dropped',
  '57P05': 'idle_session_timeout',
  '58000': 'system_error',
  '58030': 'io_error',
  XX000: 'internal_error',
  XX001: 'data_corrupted',
  XX002: 'index_corrupted',
};

/** The SQLSTATE of what PostgreSQL answered; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const isAnswer = error instanceof Error && 'severity' in error && 'code' in error;
  return isAnswer ? String(error.code) : undefined;
}

/** A SQLSTATE with its name, such as `53100 disk_full`. */
export function describeSqlState(state: string): string {
  return [state, CONDITIONS[state] ?? []].flat().join(' ');
}

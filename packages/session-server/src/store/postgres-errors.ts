import type { DatabaseError } from 'pg';
import { AppError, ConfigError, describeFileError } from '../errors.js';
import { describeSqlState, sqlStateOf } from './sql-states.js';

const RETRY_AFTER_SECONDS = 5;

/** Serialization failure, deadlock, lock timeout. */
const COLLISIONS: readonly string[] = ['40001', '40P01', '55P03'];

/**
 * Unique indexes that two transactions meet at, which did not see each other's row: one of them runs again,
 * and sees it. A second row of any other unique index is an internal error.
 */
const MEETING_PLACES: readonly string[] = [
  'checkouts_merchant_order_name_order_version_key',
  'orders_pkey',
  // Two that raised the sequence at the same time got the same number.
  'attempts_pkey',
  'attempts_active',
  'matched_transactions_pkey',
  'webhooks_processed',
  'outbox_events_checkout_sequence_key',
  'outbox_events_feed',
  'read_turns_pkey',
  'counters_pkey',
];

const UNREACHABLE = 'The database cannot be reached';
const STOPS = 'The database stops or starts';
const REFUSES = 'The database does not let the server in';
const IS_SLOW = 'The database takes too long';
const DISK_FAILS = 'The disk of the database fails';

/** Why the database cannot do what is asked of it, by SQLSTATE. None of these is an internal error. */
const REASONS: Readonly<Partial<Record<string, string>>> = {
  '57P01': STOPS,
  '57P02': STOPS,
  '57P03': STOPS,
  '57P05': STOPS,
  // Since a failover, or because its operator wants it so.
  '25006': 'The database can only be read',
  '25P03': IS_SLOW,
  '57014': IS_SLOW,
  '53000': 'The database is short of resources',
  '53100': 'The disk of the database is full',
  '53200': 'The database is out of memory',
  '53300': 'The database has too many connections',
  '53400': 'The database is at one of its limits',
  '28000': REFUSES,
  '28P01': REFUSES,
  '3D000': 'The database does not exist',
  '57P04': 'The database does not exist',
  '42501': 'The database does not permit this to the user of the server',
  '58000': DISK_FAILS,
  '58030': DISK_FAILS,
};

/** Of Node, about sockets and names of hosts. */
const SOCKET_CODE =
  /^(E(CONN|HOST|NET|ADDR|AI_)[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|ENOENT|EACCES|EMFILE|ERR_STREAM_.*)$/;

/** Of Node and of OpenSSL, about certificates and the protocol. */
const TLS_CODE = /^(CERT_|DEPTH_ZERO_|ERR_(OSSL|SSL|TLS)_|SELF_SIGNED_|UNABLE_TO_)/;

/** What the driver and its pool say of a connection that was lost. */
const CONNECTION_LOST =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end|Received unexpected|There was an error establishing an SSL connection)/;

/** What the driver says where no code does. */
const DRIVER: Readonly<Partial<Record<string, readonly [code: string, why: string]>>> = {
  'Query read timeout': ['QUERY_TIMEOUT', 'The database does not answer'],
  'timeout exceeded when trying to connect': [
    'NO_FREE_CONNECTION',
    'All connections of this server to the database are in use',
  ],
  'The server does not support SSL connections': ['TLS_REFUSED', 'The database does not speak TLS'],
  'timeout expired': ['CONNECT_TIMEOUT', UNREACHABLE],
  'Connection terminated due to connection timeout': ['CONNECT_TIMEOUT', UNREACHABLE],
};

/** An error of the driver, by a code for the log. */
class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: string,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** Gives an error of the driver a code, unless it has one. */
export function codeDriverError(error: unknown): unknown {
  if (!(error instanceof Error) || codeOf(error) !== undefined) return error;
  return new ConnectionError(DRIVER[error.message]?.[0] ?? 'CONNECTION_LOST', error);
}

export function isCollision(error: unknown): boolean {
  const state = sqlStateOf(error) ?? '';
  if (state !== '23505') return COLLISIONS.includes(state) || isStalePlan(error);
  return MEETING_PLACES.includes((error as DatabaseError).constraint ?? '');
}

/** A newer version of the server has changed a table since a named statement was planned. */
export function isStalePlan(error: unknown): boolean {
  const isUnsupported = sqlStateOf(error) === '0A000';
  return isUnsupported && (error as DatabaseError).routine === 'RevalidateCachedQuery';
}

/** Whether the database was not reached, or could not do it; anything else is an internal error. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state !== undefined) return state.startsWith('08') || REASONS[state] !== undefined;
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  const isOfSocket = SOCKET_CODE.test(code) || TLS_CODE.test(code);
  return isOfSocket || CONNECTION_LOST.test(error.message) || DRIVER[error.message] !== undefined;
}

/** For callers: 503, and why. The log has the code. */
export function unavailable(error: unknown): AppError {
  const why = isCollision(error) ? 'The database is too busy' : reasonOf(error);
  return new AppError(503, 'database_unavailable', `${why} at the moment. Try again shortly.`, {
    cause: codeDriverError(error),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

function reasonOf(error: unknown): string {
  const known = REASONS[sqlStateOf(error) ?? ''];
  if (known !== undefined) return known;
  if (TLS_CODE.test(codeOf(error) ?? '')) return 'No TLS connection to the database can be made';
  return (error instanceof Error && DRIVER[error.message]?.[1]) || UNREACHABLE;
}

/** What an operator can do about it, without the address, which holds a password. */
export function explain(error: unknown): unknown {
  if (error instanceof ConfigError || !(error instanceof Error)) return error;
  const code = codeOf(codeDriverError(error)) ?? '';
  return new ConfigError('DATABASE_URL', [
    describeCertificate(error) ?? ADVICE[code] ?? describe(error, code),
  ]);
}

/** A file that the address names, and that cannot be read. */
function describeCertificate(error: Error): string | undefined {
  if (!('syscall' in error && 'path' in error) || error.syscall === 'connect') return undefined;
  return `${String(error.path)}: ${describeFileError(error)}; expected a certificate, as sslrootcert, sslcert or sslkey of the address`;
}

function describe(error: Error, code: string): string {
  const state = sqlStateOf(error);
  if (state === undefined) {
    return TLS_CODE.test(code)
      ? `no TLS connection to the database server can be made (${code})`
      : `the database server cannot be reached (${code}); check host, port and firewall`;
  }
  const why = REASONS[state];
  return why === undefined
    ? `PostgreSQL refused it (${describeSqlState(state)})`
    : `${why} (${describeSqlState(state)})`;
}

const UNKNOWN_AUTHORITY =
  'the certificate of the database server is signed by no authority that is known here; add sslrootcert=<file with the CA> to the address';

const ADVICE: Readonly<Partial<Record<string, string>>> = {
  '28P01': 'the database server does not accept user and password',
  '28000':
    'the database server does not let this user in; check its pg_hba.conf, which may want TLS: sslmode=verify-full',
  '3D000': 'there is no such database; create it first',
  '42501':
    'the user may not create tables there; make it the owner of the database, or of its schema',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the database server is for another host name; use that name in the address',
  CERT_HAS_EXPIRED: 'the certificate of the database server has expired',
  ERR_OSSL_PEM_NO_START_LINE: 'sslrootcert, sslcert or sslkey of the address is no PEM file',
  TLS_REFUSED:
    'the database server does not speak TLS; turn it on there, or take sslmode out of the address',
  // Of a socket: without a server there is none.
  ENOENT: 'no database server has a socket there; check folder and port',
  EACCES: 'this user may not use the socket of the database server',
  ENOTFOUND: 'the host of the database server has no address; check its name',
  ECONNREFUSED: 'no database server listens there; check host and port',
};

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

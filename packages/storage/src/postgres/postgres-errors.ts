import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { DrizzleQueryError } from 'drizzle-orm/errors';

/** SQLSTATE codes. Source: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQLSTATE = {
  serializationFailure: '40001',
  deadlock: '40P01',
  lockNotAvailable: '55P03',
  diskFull: '53100',
  readOnly: '25006',
  noPrivilege: '42501',
  invalidPassword: '28P01',
  invalidAuthorization: '28000',
  noDatabase: '3D000',
  noSchema: '3F000',
  noTable: '42P01',
  idleInTransaction: '25P03',
} as const;

/** Classes of codes: the first two characters. */
const CONSTRAINT = '23';
const CONNECTION = '08';
/** The server is shutting down, has crashed, or is starting. */
const OPERATOR = '57P';
const RESOURCES = '53';
const CORRUPT = 'XX0';

/** The code of an error about a connection to which the driver gives none. */
export const NO_CONNECTION = 'NO_CONNECTION';

/** Codes of sockets and of the driver, when a connection could not be made or was lost. */
const LOST = new Set([
  NO_CONNECTION,
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Returns the code of an error of the server, of the driver or of a socket. Drizzle wraps the original error. */
function postgresCode(thrown: unknown): string | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code: unknown = Reflect.get(error, 'code');
    if (typeof code === 'string' && !(error instanceof LonghaulError)) return code;
    if (error instanceof AggregateError && error.errors.length > 0) return postgresCode(error.errors[0]);
    // The driver gives no code to a query that was running when its connection ended.
    if (error instanceof DrizzleQueryError && error.cause instanceof Error && !('code' in error.cause))
      return NO_CONNECTION;
  }
  return undefined;
}

/** Gives an error of the driver a code. Those of the server have one; the others are about the connection. */
export function withCode<T>(error: T): T {
  if (error instanceof Error && postgresCode(error) === undefined)
    Object.assign(error, { code: NO_CONNECTION });
  return error;
}

/** Whether the transaction was rolled back because of another one, so that it can run again. */
export function isConflict(thrown: unknown): boolean {
  const code = postgresCode(thrown);
  return code === SQLSTATE.serializationFailure || code === SQLSTATE.deadlock;
}

/** Whether no answer came, because there is no connection. What was sent may be stored, or be stored later. */
export function isLost(thrown: unknown): boolean {
  const code = postgresCode(thrown) ?? '';
  return (
    LOST.has(code) ||
    code.startsWith(CONNECTION) ||
    code.startsWith(OPERATOR) ||
    code === SQLSTATE.idleInTransaction
  );
}

/** Whether the data of one write is refused. Other writes of the same statement can be stored without it. */
export function isRefusedData(thrown: unknown): boolean {
  const code = postgresCode(thrown) ?? '';
  return code.startsWith(CONSTRAINT) || code.startsWith('22') || code.startsWith('54');
}

/**
 * Maps anything that a query threw to one error class, by code and never by message text.
 *
 * @param address The address without the password.
 */
export function mapPostgresError(thrown: unknown, address: string): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  const code = postgresCode(thrown);
  if (code === undefined) return toLonghaulError(thrown);
  const options = { cause: withoutQuery(thrown), data: { address, code } };
  return (
    errorOfCode(code, address, options) ??
    new LonghaulError(
      'internal',
      `PostgreSQL refused a query of this program: ${messageOf(thrown)}.`,
      options,
    )
  );
}

/** The error for a write whose answer was lost, if what was stored could not be looked up. */
export function outcomeUnknown(address: string, cause: unknown): LonghaulError {
  return new LonghaulError(
    'store_unavailable',
    `The connection to ${address} was lost during a write. It is unknown whether the write is stored. Read the session before you repeat it.`,
    { cause: withoutQuery(cause), data: { address, isUnknown: true } },
  );
}

type Options = { cause: unknown; data: { address: string; code: string } };

function errorOfCode(code: string, address: string, options: Options): LonghaulError | undefined {
  const make = (kind: ConstructorParameters<typeof LonghaulError>[0], text: string) =>
    new LonghaulError(kind, text, options);
  switch (code) {
    case SQLSTATE.diskFull:
      return make(
        'store_full',
        `The disk of ${address} is full. The last change was not stored; all earlier changes were. Free some space on the server and retry.`,
      );
    case SQLSTATE.readOnly:
      return make(
        'store_readonly',
        `${address} only allows reading: it is a replica, or the database or the user is set to read-only. Use the primary server.`,
      );
    case SQLSTATE.noPrivilege:
      return make(
        'store_readonly',
        `The user of ${address} may not do this. Make it the owner of the database, or of the schema.`,
      );
    case SQLSTATE.invalidPassword:
    case SQLSTATE.invalidAuthorization:
      return make(
        'config_invalid',
        `The server of ${address} refused the user or the password. Correct storage.url, or set PGPASSWORD.`,
      );
    case SQLSTATE.noDatabase:
      return make(
        'config_invalid',
        `There is no database at ${address}. Create it: createdb --encoding=UTF8 --template=template0 NAME`,
      );
    case SQLSTATE.noSchema:
    case SQLSTATE.noTable:
      return make(
        'store_unavailable',
        `The tables of ${address} are missing. They are created when the store is opened for writing.`,
      );
    case SQLSTATE.serializationFailure:
    case SQLSTATE.deadlock:
    case SQLSTATE.lockNotAvailable:
      return make(
        'store_unavailable',
        `A row of ${address} was locked by another program for too long. Nothing was stored. Retry.`,
      );
    default:
      return errorOfClass(code, address, { make, reason: messageOf(options.cause) });
  }
}

function errorOfClass(
  code: string,
  address: string,
  {
    make,
    reason,
  }: {
    make: (kind: ConstructorParameters<typeof LonghaulError>[0], text: string) => LonghaulError;
    reason: string;
  },
): LonghaulError | undefined {
  if (code.startsWith(CONSTRAINT))
    return make(
      'internal',
      'A row violates a constraint of the database, for example because its id already exists.',
    );
  if (code.startsWith(CORRUPT) && code !== 'XX000')
    return make(
      'store_corrupt',
      `The server of ${address} reports damaged data. It was not changed. See the server's log, and restore a backup.`,
    );
  if (code.startsWith(RESOURCES))
    return make(
      'store_unavailable',
      `The server of ${address} has no memory or no connection left (${code}). Retry, or raise max_connections.`,
    );
  if (
    LOST.has(code) ||
    code.startsWith(CONNECTION) ||
    code.startsWith(OPERATOR) ||
    code === SQLSTATE.idleInTransaction
  )
    return make(
      'store_unavailable',
      `${address} cannot be reached: ${reason}. Check that the server is running and that its address is right, then retry.`,
    );
  return undefined;
}

function messageOf(thrown: unknown): string {
  const error = withoutQuery(thrown);
  return error instanceof Error ? error.message : String(error);
}

/** Returns the server's error. Drizzle's contains the query, and the driver's the values, which are texts of sessions. */
function withoutQuery(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  if (!(error instanceof Error)) return error;
  const plain = new Error(error.message);
  if (error.stack !== undefined) plain.stack = error.stack;
  return plain;
}

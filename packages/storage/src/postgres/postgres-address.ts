import { LonghaulError } from '@longhaul/protocol';

/** A PostgreSQL server, the database on it, and the schema that contains the tables. */
export interface PostgresAddress {
  host: string;
  port: number;
  user: string;
  /** Absent: PGPASSWORD, or none. */
  password?: string;
  database: string;
  schema: string;
  /** As libpq defines them: `require` encrypts, `verify-full` also checks the certificate. */
  sslmode: SslMode;
}

const SSL_MODES = ['disable', 'require', 'verify-full'] as const;
const PARAMETERS = ['host', 'schema', 'sslmode'];
const DEFAULT_SCHEMA = 'longhaul';
const EXAMPLE = 'postgres://longhaul@db.example.com/longhaul';

type SslMode = (typeof SSL_MODES)[number];

function isThisMachine(host: string): boolean {
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1'].includes(host);
}

export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME`. `?host=/FOLDER` names the folder of a Unix socket.
 *
 * @throws {LonghaulError} `config_invalid`. No message contains the password.
 */
export function parsePostgresUrl(url: string): PostgresAddress {
  const parsed = parse(url);
  const { searchParams: parameters } = parsed;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw invalid(`has the parameter "${unknown}"; it can have ${PARAMETERS.join(', ')}`);
  const socket = parameters.get('host');
  if (socket !== null && !socket.startsWith('/'))
    throw invalid(
      'has the parameter host, which must be the folder of a Unix socket, such as /run/postgresql',
    );
  const host = socket ?? decoded(parsed.hostname).replace(/^\[|\]$/g, '');
  const wanted = parameters.get('sslmode') ?? (isThisMachine(host) ? 'disable' : 'require');
  const sslmode = SSL_MODES.find((mode) => mode === wanted);
  if (sslmode === undefined) throw invalid(`has the sslmode "${wanted}"; it can be ${SSL_MODES.join(', ')}`);
  const schema = parameters.get('schema') ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalid(`has the schema "${schema}"; use lower-case letters, digits and _, with a letter first`);
  const database = decoded(parsed.pathname.slice(1));
  if (database === '' || database.includes('/')) throw invalid(`names no database, such as ${EXAMPLE}`);
  const user = decoded(parsed.username);
  if (user === '') throw invalid(`names no user, such as ${EXAMPLE}`);
  const password = decoded(parsed.password);
  return {
    host,
    port: Number(parsed.port || 5432),
    user,
    ...(password === '' ? {} : { password }),
    database,
    schema,
    sslmode,
  };
}

/** Returns the address as messages show it, without the password. */
export function shownPostgresAddress({ host, port, user, database, schema }: PostgresAddress): string {
  const place = host.startsWith('/') ? `/${database}?host=${host}` : `${host}:${port}/${database}`;
  const of = schema === DEFAULT_SCHEMA ? '' : ` (schema ${schema})`;
  return `postgres://${user}@${place}${of}`;
}

function parse(url: string): URL {
  // A socket's address has no host, which a URL with a user must have.
  const complete = url.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=[:/?]|$)/, '$1localhost');
  const parsed = isPostgresUrl(url) ? URL.parse(complete) : null;
  if (parsed === null || parsed.hostname === '')
    throw invalid(`is not an address such as ${EXAMPLE}. Write special characters of the password as %XX`);
  return parsed;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('contains a % that is not followed by two hexadecimal digits. Write % as %25');
  }
}

function invalid(problem: string): LonghaulError {
  return new LonghaulError('config_invalid', `storage.url ${problem}.`);
}

/** What the driver needs to connect. */
export interface PostgresConnection {
  host: string;
  port: number;
  user: string;
  password?: string;
  database: string;
  ssl: false | { rejectUnauthorized: boolean };
}

export function connectionOf({
  host,
  port,
  user,
  password,
  database,
  sslmode,
}: PostgresAddress): PostgresConnection {
  return {
    host,
    port,
    user,
    ...(password === undefined ? {} : { password }),
    database,
    ssl: sslmode === 'disable' ? false : { rejectUnauthorized: sslmode === 'verify-full' },
  };
}

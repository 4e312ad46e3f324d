import { readFile } from 'node:fs/promises';
import type { Environment } from './s3-address.ts';

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Milliseconds since 1970. Absent: they do not expire. */
  expiresAt?: number;
}

/** Of the containers of AWS. */
const CONTAINER_HOST = 'http://169.254.170.2';
/** Of the machines of AWS. Elsewhere, nothing answers there. */
const MACHINE_HOST = 'http://169.254.169.254';
const ANSWER_MS = 2_000;
const ROLES = '/latest/meta-data/iam/security-credentials/';

/** Returns temporary keys of the role of this container or machine. Undefined: it has none. */
export async function roleCredentials(env: Environment): Promise<S3Credentials | undefined> {
  const url = containerUrl(env);
  if (url !== undefined) return parsed(await read(url, await containerHeaders(env)));
  if (env['AWS_EC2_METADATA_DISABLED'] === 'true') return undefined;
  const host = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || MACHINE_HOST;
  const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' };
  const token = await read(`${host}/latest/api/token`, lifetime, 'PUT');
  if (token === undefined) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': token };
  const role = (await read(`${host}${ROLES}`, headers))?.trim().split('\n')[0];
  return role ? parsed(await read(`${host}${ROLES}${role}`, headers)) : undefined;
}

function containerUrl(env: Environment): string | undefined {
  const relative = env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'];
  return relative ? `${CONTAINER_HOST}${relative}` : env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] || undefined;
}

async function containerHeaders(env: Environment): Promise<Record<string, string>> {
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await readFile(file, 'utf8')).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  return token ? { authorization: token } : {};
}

/** Returns undefined if nothing answers, or something else. */
async function read(
  url: string,
  headers: Record<string, string>,
  method: 'GET' | 'PUT' = 'GET',
): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { method, headers, signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.ok) return await answer.text();
    await answer.body?.cancel();
    return undefined;
  } catch {
    return undefined; // The caller reports that there are no keys.
  }
}

function parsed(text: string | undefined): S3Credentials | undefined {
  if (text === undefined) return undefined;
  const value = jsonOf(text);
  const field = (name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const [accessKeyId, secretAccessKey] = [field('AccessKeyId'), field('SecretAccessKey')];
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') return undefined;
  const [token, expiresAt] = [field('Token'), Date.parse(String(field('Expiration')))];
  return {
    accessKeyId,
    secretAccessKey,
    ...(typeof token === 'string' ? { sessionToken: token } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not an answer of AWS.
  }
}

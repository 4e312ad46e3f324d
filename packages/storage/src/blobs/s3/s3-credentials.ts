import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { Environment } from './s3-address.ts';
import { roleCredentials, type S3Credentials } from './s3-role.ts';

/** Temporary keys are renewed this long before they expire. */
const EARLY_MS = 5 * 60 * 1000;

/**
 * Returns a function that finds the keys where the programs of AWS find them: in variables, in the file of profiles, or
 * in the role of the container or machine. Keys that expire are found again.
 *
 * @throws {LonghaulError} `config_invalid` if there are none.
 */
export function findCredentials(env: Environment): () => Promise<S3Credentials> {
  let found: Promise<S3Credentials> | undefined;
  return async () => {
    const known = await found?.catch(() => undefined);
    if (known !== undefined && (known.expiresAt ?? Number.POSITIVE_INFINITY) >= Date.now() + EARLY_MS)
      return known;
    found = search(env);
    return found;
  };
}

async function search(env: Environment): Promise<S3Credentials> {
  const found = fromVariables(env) ?? (await fromProfile(env)) ?? (await roleCredentials(env));
  if (found !== undefined) return found;
  throw new LonghaulError(
    'config_invalid',
    'storage.blobs names a bucket, and there are no keys for it. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, write them to ~/.aws/credentials, or give this machine a role.',
  );
}

function fromVariables(env: Environment): S3Credentials | undefined {
  return credentialsOf({
    accessKeyId: env['AWS_ACCESS_KEY_ID'],
    secretAccessKey: env['AWS_SECRET_ACCESS_KEY'],
    sessionToken: env['AWS_SESSION_TOKEN'],
  });
}

async function fromProfile(env: Environment): Promise<S3Credentials | undefined> {
  const path = env['AWS_SHARED_CREDENTIALS_FILE'] || join(env['HOME'] || homedir(), '.aws', 'credentials');
  const text = await readFile(path, 'utf8').catch(() => ''); // A missing file has no profiles.
  const values = profileOf(text, env['AWS_PROFILE'] || 'default');
  return credentialsOf({
    accessKeyId: values.get('aws_access_key_id'),
    secretAccessKey: values.get('aws_secret_access_key'),
    sessionToken: values.get('aws_session_token'),
  });
}

function profileOf(text: string, name: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim() ?? section;
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === name && key !== undefined && value !== undefined) values.set(key, value);
  }
  return values;
}

function credentialsOf({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Record<'accessKeyId' | 'secretAccessKey' | 'sessionToken', string | undefined>):
  | S3Credentials
  | undefined {
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

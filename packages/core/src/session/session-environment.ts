import {
  GIT_START_KEY,
  type GitStart,
  isObject,
  type JsonObject,
  type JsonValue,
  type Session,
} from '@longhaul/protocol';
import type { BlobStore, Store } from '../ports/index.ts';
import type { Environment } from '../prompt/environment.ts';
import { getMetadataBlob, putMetadataBlob } from './metadata-blob.ts';

/** Key of the reference in the session's metadata. A fork has it too. */
const KEY = 'environment';

/** Returns whether an environment was stored for a session: it has begun. */
export function hasEnvironment({ metadata }: Pick<Session, 'metadata'>): boolean {
  return metadata?.[KEY] !== undefined;
}

/** Loads the environment that the system text of a session has. Undefined before its first run. */
export async function loadEnvironment(
  session: Pick<Session, 'metadata'>,
  blobs: BlobStore,
): Promise<Environment | undefined> {
  // The present environment replaces a lost one.
  const value = await getMetadataBlob(session, KEY, blobs);
  return isEnvironment(value) ? value : undefined;
}

export interface StoreEnvironmentOptions {
  session: Pick<Session, 'id' | 'metadata'>;
  store: Store;
  blobs: BlobStore;
  git?: GitStart | undefined;
}

/**
 * Stores the environment that the system text of a session has from now on. If blobs cannot be written, it is
 * not stored, and the next run uses the environment of that moment.
 *
 * @param options.git Where the repository is, if the session begins now.
 */
export async function storeEnvironment(
  environment: Environment,
  { session, store, blobs, git }: StoreEnvironmentOptions,
): Promise<void> {
  const reference = await putMetadataBlob(environment, blobs);
  if (reference === undefined || reference === session.metadata?.[KEY]) return;
  const metadata: JsonObject = { [KEY]: reference };
  if (git !== undefined) metadata[GIT_START_KEY] = { ...git };
  await store.updateSession(session.id, { metadata });
}

function isEnvironment(value: JsonValue | undefined): value is JsonValue & Environment {
  if (!isObject(value)) return false;
  const { workspacePath, sandbox, platform, rules, git, instructions, folders = [], skills = [] } = value;
  return (
    typeof workspacePath === 'string' &&
    typeof sandbox === 'string' &&
    (platform === undefined || typeof platform === 'string') &&
    (rules === undefined ||
      (isObject(rules) && typeof rules['files'] === 'string' && typeof rules['processes'] === 'string')) &&
    (git === undefined || (isObject(git) && typeof git['head'] === 'string')) &&
    Array.isArray(folders) &&
    folders.every((folder) => typeof folder === 'string') &&
    Array.isArray(skills) &&
    skills.every(
      (skill) =>
        isObject(skill) && typeof skill['name'] === 'string' && typeof skill['description'] === 'string',
    ) &&
    Array.isArray(instructions) &&
    instructions.every(
      (file) => isObject(file) && typeof file['path'] === 'string' && typeof file['text'] === 'string',
    )
  );
}

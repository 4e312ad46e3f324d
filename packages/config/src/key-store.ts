import { randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from './config-layer.ts';
import type { Environment } from './environment.ts';
import { readRegularFile } from './read-regular-file.ts';
import { userFolder } from './user-folder.ts';

/** API keys by the names of their providers. */
export type StoredKeys = Readonly<Record<string, string>>;

const OTHERS = 0o077;

/**
 * The API keys that a person stored with `longhaul login`, in a file of the user's configuration that only its owner
 * can read. The file is replaced atomically.
 */
export class KeyStore {
  readonly path: string;

  constructor(user: { env: Environment; home: string }) {
    this.path = join(userFolder(user), 'credentials.json');
  }

  /** @throws {LonghaulError} `file_unreadable` */
  async read(): Promise<StoredKeys> {
    try {
      const { bytes } = await readRegularFile(this.path);
      const { keys }: { keys?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
      if (!isKeys(keys)) throw new TypeError('It has no keys.');
      return keys;
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return {};
      // The cause is left out: a parser quotes what it read.
      const why = codeOf(cause) ?? 'it is not a file that longhaul login wrote';
      throw new LonghaulError(
        'file_unreadable',
        `The API keys in ${this.path} cannot be read (${String(why)}). Correct the file, or delete it and run longhaul login again.`,
      );
    }
  }

  async put(provider: string, key: string): Promise<void> {
    await this.#write({ ...(await this.read()), [provider]: key });
  }

  /** Returns whether there was a key. */
  async remove(provider: string): Promise<boolean> {
    const { [provider]: key, ...others } = await this.read();
    if (key === undefined) return false;
    await this.#write(others);
    return true;
  }

  /** Whether other users of this machine can read the file. */
  async isOpenToOthers(): Promise<boolean> {
    const info = await stat(this.path).catch(() => undefined);
    return info !== undefined && process.platform !== 'win32' && (info.mode & OTHERS) !== 0;
  }

  async #write(keys: StoredKeys): Promise<void> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const next = `${this.path}.${randomUUID()}`;
    try {
      await writeFile(next, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      // The mask of the process may have removed more.
      await chmod(next, 0o600);
      await rename(next, this.path);
    } finally {
      await rm(next, { force: true });
    }
  }
}

function isKeys(value: unknown): value is StoredKeys {
  return isPlainObject(value) && Object.values(value).every((key) => typeof key === 'string' && key !== '');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

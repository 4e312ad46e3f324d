import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from './config-layer.ts';
import type { Environment } from './environment.ts';
import { writePrivateFile } from './private-file.ts';
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
    await writePrivateFile(this.path, `${JSON.stringify({ keys }, null, 2)}\n`);
  }
}

function isKeys(value: unknown): value is StoredKeys {
  return isPlainObject(value) && Object.values(value).every((key) => typeof key === 'string' && key !== '');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from './config-layer.ts';
import type { Environment } from './environment.ts';
import { writePrivateFile } from './private-file.ts';
import { readRegularFile } from './read-regular-file.ts';
import { userFolder } from './user-folder.ts';

type Logins = Readonly<Record<string, unknown>>;

/**
 * What logins at MCP servers left, such as tokens, by the addresses of the servers. The file is in the user's
 * configuration, and only its owner can read it.
 */
export class LoginStore {
  readonly path: string;

  constructor(user: { env: Environment; home: string }) {
    this.path = join(userFolder(user), 'mcp-logins.json');
  }

  /** Returns undefined if there was no login. @throws {LonghaulError} `file_unreadable` */
  async read(address: string): Promise<unknown> {
    const logins = await this.#readAll();
    return Object.hasOwn(logins, address) ? logins[address] : undefined;
  }

  async write(address: string, login: object): Promise<void> {
    await this.#writeAll({ ...(await this.#readAll()), [address]: login });
  }

  /** Returns whether there was a login. */
  async remove(address: string): Promise<boolean> {
    const { [address]: login, ...others } = await this.#readAll();
    if (login === undefined) return false;
    await this.#writeAll(others);
    return true;
  }

  async #readAll(): Promise<Logins> {
    try {
      const { bytes } = await readRegularFile(this.path);
      const { logins }: { logins?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
      if (!isPlainObject(logins)) throw new TypeError('It has no logins.');
      return logins;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return {};
      // The cause is left out: a parser quotes what it read.
      const why = code ?? 'it is not a file that longhaul mcp login wrote';
      throw new LonghaulError(
        'file_unreadable',
        `The logins in ${this.path} cannot be read (${String(why)}). Correct the file, or delete it and run longhaul mcp login again.`,
      );
    }
  }

  async #writeAll(logins: Logins): Promise<void> {
    await writePrivateFile(this.path, `${JSON.stringify({ logins }, null, 2)}\n`);
  }
}

import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from './config-layer.ts';
import type { Environment } from './environment.ts';
import { writePrivateFile } from './private-file.ts';
import { readRegularFile } from './read-regular-file.ts';
import { userFolder } from './user-folder.ts';

export interface PrivateRecordOptions<Value> {
  user: { env: Environment; home: string };
  fileName: string;
  /** The field of the file that holds the values, such as `keys`. */
  field: string;
  /** What the values are, in messages. */
  called: string;
  /** The command that writes the file. */
  command: string;
  isValue: (value: unknown) => value is Value;
}

/**
 * Values by name, in a JSON file of the user's configuration that only its owner can read. The file is replaced
 * atomically.
 */
export class PrivateRecord<Value> {
  readonly path: string;
  readonly #options: PrivateRecordOptions<Value>;

  constructor(options: PrivateRecordOptions<Value>) {
    this.#options = options;
    this.path = join(userFolder(options.user), options.fileName);
  }

  /** Returns no values if there is no file. @throws {LonghaulError} `file_unreadable` */
  async read(): Promise<Readonly<Record<string, Value>>> {
    try {
      const { bytes } = await readRegularFile(this.path);
      const values = JSON.parse(new TextDecoder().decode(bytes))[this.#options.field];
      if (!this.#isRecord(values)) throw new TypeError('It has other values.');
      return values;
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return {};
      const { called, command } = this.#options;
      // The cause is left out: a parser quotes what it read.
      const why = code ?? `it is not a file that ${command} wrote`;
      throw new LonghaulError(
        'file_unreadable',
        `The ${called} in ${this.path} cannot be read (${String(why)}). Correct the file, or delete it and run ${command} again.`,
      );
    }
  }

  async put(name: string, value: Value): Promise<void> {
    await this.#write({ ...(await this.read()), [name]: value });
  }

  /** Returns whether there was a value. */
  async remove(name: string): Promise<boolean> {
    const values = await this.read();
    if (!Object.hasOwn(values, name)) return false;
    const { [name]: _removed, ...others } = values;
    await this.#write(others);
    return true;
  }

  #isRecord(value: unknown): value is Record<string, Value> {
    return isPlainObject(value) && Object.values(value).every((entry) => this.#options.isValue(entry));
  }

  async #write(values: object): Promise<void> {
    await writePrivateFile(this.path, `${JSON.stringify({ [this.#options.field]: values }, null, 2)}\n`);
  }
}

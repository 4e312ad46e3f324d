import { access, constants, readFile } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';
import type { GatewayUpstreamConfig } from './config.ts';
import type { GatewayFileChange } from './edit-gateway.ts';
import type { Environment } from './environment.ts';
import { replaceFile } from './replace-file.ts';

/** The settings of the gateway in a configuration file. Comments and everything else in the file stay. */
export class GatewayFile {
  readonly path: string;
  readonly #env: Environment;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, env: Environment) {
    this.path = path;
    this.#env = env;
  }

  /**
   * Changes the file at once, after earlier changes.
   *
   * @param upstreams The upstreams in use. They are written if the file names none.
   * @throws {LonghaulError} `config_invalid` if the file is not valid before or after the change; `file_unreadable`. The
   * file then stays as it was.
   */
  store(change: GatewayFileChange, upstreams: readonly GatewayUpstreamConfig[]): Promise<void> {
    const stored = this.#last.then(() => this.#store(change, upstreams));
    // A failed change does not prevent the next one.
    this.#last = stored.catch(() => undefined);
    return stored;
  }

  async #store(change: GatewayFileChange, upstreams: readonly GatewayUpstreamConfig[]): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw this.#failed('read', error);
    });
    // The parser and the schema are not loaded at every start.
    const { editGateway } = await import('./edit-gateway.ts');
    const next = editGateway({ path: this.path, text, env: this.#env }, { change, upstreams });
    await this.#checkWritable();
    await replaceFile(this.path, next).catch((error: NodeJS.ErrnoException) => {
      throw this.#failed('write', error);
    });
  }

  /** Replacing a file needs only a writable folder, but a read-only file is protected on purpose. */
  async #checkWritable(): Promise<void> {
    await access(this.path, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw this.#failed('write', error);
    });
  }

  #failed(verb: 'read' | 'write', { code }: NodeJS.ErrnoException): LonghaulError {
    return new LonghaulError(
      'file_unreadable',
      `Cannot ${verb} ${this.path} (${code}). Nothing was changed. Make the file and its folder readable and writable for this user.`,
    );
  }
}

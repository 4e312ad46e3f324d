import type { DirectoryEntry, FileInfo, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { ClientLink } from '../client-link.ts';
import { problemOf } from '../request-error.ts';
import { bufferBytes, textIn } from './buffer-text.ts';

export interface EditorFilesOptions {
  sessionId: string;
  /** The session's folder as the client named it: it may lead through links. */
  folder: string;
  link: Pick<ClientLink, 'features' | 'readTextFile' | 'writeTextFile' | 'log'>;
  /** Ends the waiting for the editor. */
  signal: AbortSignal;
}

/** Larger files are read from the disk. */
const MAX_BUFFER_BYTES = 10 * 1024 * 1024;

/**
 * Files of the workspace as the editor has them, for one call of a tool. A tool that works on one file asks for its
 * state first: then the text of the editor's buffer is read, unsaved changes included, and the following reads return
 * it. Paths are checked before the editor gets them. Paths outside the workspace never reach it.
 */
export class EditorFiles implements WorkspaceFiles {
  readonly elsewhere: WorkspaceFiles['elsewhere'];
  readonly #disk: WorkspaceFiles;
  readonly #options: EditorFilesOptions;
  /** The texts of buffers, by resolved paths. */
  readonly #buffers = new Map<string, Uint8Array>();

  constructor(disk: WorkspaceFiles, options: EditorFilesOptions) {
    this.#disk = disk;
    this.#options = options;
    this.elsewhere = disk.elsewhere?.bind(disk);
  }

  get root(): string {
    return this.#disk.root;
  }

  resolve(path: string): Promise<string> {
    return this.#disk.resolve(path);
  }

  list(path: string): Promise<DirectoryEntry[]> {
    return this.#disk.list(path);
  }

  async stat(path: string): Promise<FileInfo | undefined> {
    const file = await this.#disk.stat(path);
    const place = await this.#disk.resolve(path);
    this.#buffers.delete(place);
    const bytes = await this.#readBuffer(place, file);
    if (bytes === undefined) return file;
    this.#buffers.set(place, bytes);
    return { kind: 'file', modifiedAt: file?.modifiedAt ?? Date.now(), size: bytes.length };
  }

  async read(path: string, range?: { start: number; length: number }): Promise<Uint8Array> {
    const bytes = this.#buffers.size === 0 ? undefined : this.#buffers.get(await this.#disk.resolve(path));
    if (bytes === undefined) return this.#disk.read(path, range);
    return range === undefined ? bytes : bytes.subarray(range.start, range.start + range.length);
  }

  /** Writes the buffer, which the editor saves, so that a person can see and undo the change there. */
  async write(path: string, data: Uint8Array | string): Promise<{ created: boolean }> {
    const place = await this.#disk.resolve(path);
    const text = textIn(data);
    this.#buffers.delete(place);
    const { link } = this.#options;
    if (!link.features.writesFiles || !isInside(place) || text === undefined)
      return this.#disk.write(path, data);
    const isNew = (await this.#disk.stat(place)) === undefined;
    // An editor makes no folders, and a file that exists is known to be no link.
    if (isNew) await this.#disk.write(place, '');
    await this.#writeBuffer(place, text);
    return { created: isNew };
  }

  /** Forgets what was read, because a command may have changed the files. */
  forget(): void {
    this.#buffers.clear();
  }

  async #writeBuffer(place: string, text: string): Promise<void> {
    const { link, sessionId, signal } = this.#options;
    try {
      await link.writeTextFile({ sessionId, path: this.#shown(place), content: text }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new LonghaulError('invalid_request', `The editor did not write ${place}: ${problemOf(error)}`);
    }
  }

  /** Undefined: the file has no text, or the editor does not give it. */
  async #readBuffer(place: string, file: FileInfo | undefined): Promise<Uint8Array | undefined> {
    const { link, sessionId, signal } = this.#options;
    if (!link.features.readsFiles || !isInside(place)) return undefined;
    if (file !== undefined && (file.kind !== 'file' || file.size > MAX_BUFFER_BYTES)) return undefined;
    const saved = file === undefined ? undefined : await this.#disk.read(place);
    if (saved !== undefined && textIn(saved) === undefined) return undefined;
    try {
      return bufferBytes(await link.readTextFile({ sessionId, path: this.#shown(place) }, signal), saved);
    } catch (error) {
      signal.throwIfAborted();
      // Editors refuse files that are missing, or outside of what they have open.
      if (file !== undefined)
        link.log(`The editor did not provide ${place}, so the saved file is used: ${problemOf(error)}`);
      return undefined;
    }
  }

  #shown(place: string): string {
    return `${this.#options.folder.replace(/\/$/, '')}/${place}`;
  }
}

/** Whether a resolved path is in the workspace, and not the workspace itself. */
function isInside(place: string): boolean {
  return place !== '' && !place.startsWith('/');
}

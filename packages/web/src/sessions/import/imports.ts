import type { LonghaulClient } from '@longhaul/client';
import { toLonghaulError } from '@longhaul/protocol';
import type { ImportResult } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { formatCount, plural } from '../../ui/format.ts';

export interface ImportedFile {
  name: string;
  outcome: { kind: 'imported'; result: ImportResult } | { kind: 'failed'; problem: string };
}

export interface ImportState {
  /** Name of the file that is read now. */
  running: string | undefined;
  waiting: number;
  /** What has happened since the report was closed. */
  files: readonly ImportedFile[];
}

const MOST_NAME_CHARS = 255;
const IDLE: ImportState = { running: undefined, waiting: 0, files: [] };

/** Imports recorded sessions, one file after the other. One that fails does not end the others. */
export class Imports {
  readonly store: StoreApi<ImportState> = createStore<ImportState>(() => IDLE);
  readonly #client: LonghaulClient;
  readonly #onImported: () => void;
  #last: Promise<void> = Promise.resolve();

  constructor(client: LonghaulClient, onImported: () => void) {
    this.#client = client;
    this.#onImported = onImported;
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      this.store.setState(({ waiting }) => ({ waiting: waiting + 1 }));
      this.#last = this.#last.then(() => this.#import(file));
    }
  }

  closeReport(): void {
    this.store.setState({ files: [] });
  }

  /** Closes the report unless files are still being imported: their outcome was not shown yet. */
  leaveReport(): void {
    const { running, waiting } = this.store.getState();
    if (running === undefined && waiting === 0) this.closeReport();
  }

  async #import(file: File): Promise<void> {
    this.store.setState(({ waiting }) => ({ waiting: waiting - 1, running: file.name }));
    const outcome = await this.#outcomeOf(file);
    this.store.setState(({ files }) => ({
      running: undefined,
      files: [...files, { name: file.name, outcome }],
    }));
    if (outcome.kind === 'imported') this.#onImported();
  }

  async #outcomeOf(file: File): Promise<ImportedFile['outcome']> {
    try {
      const name = file.name.slice(0, MOST_NAME_CHARS).toWellFormed();
      // Read whole before it is sent: a folder, or a file that is gone, fails here with a reason.
      const bytes = await file.arrayBuffer();
      const result = await this.#client.sessions.import(bytes, name === '' ? {} : { name });
      return { kind: 'imported', result };
    } catch (error) {
      const problem = error instanceof DOMException ? 'It cannot be read.' : toLonghaulError(error).message;
      return { kind: 'failed', problem };
    }
  }
}

/** Such as `2 files imported.`, or `1 of 2 files imported.` if one failed. */
export function describeOutcomes(files: readonly ImportedFile[]): string {
  const imported = files.filter(({ outcome }) => outcome.kind === 'imported').length;
  const all = plural(files.length, 'file');
  return imported === files.length ? `${all} imported.` : `${formatCount(imported)} of ${all} imported.`;
}

/** Such as `40 messages, 12 calls, 2 compactions (claude-code)`. */
export function describeImport({ messages, calls, compactions, format }: ImportResult): string {
  const counts = [
    plural(messages, 'message'),
    plural(calls, 'call'),
    compactions > 0 ? plural(compactions, 'compaction') : '',
  ];
  return `${counts.filter((words) => words !== '').join(', ')} (${format})`;
}

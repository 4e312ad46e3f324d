import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LlamaSequence, Token } from '../library/llama-types.ts';
import { commonLength } from './common-length.ts';

/** A shorter beginning is read again sooner than its state is loaded. */
export const MIN_STATE_TOKENS = 256;

/** What the name of a file ends with: a state, its tokens, and a state that is being written or loaded. */
const KINDS = ['state', 'tokens', 'new', 'loading'] as const;

interface Stored {
  name: string;
  tokens: Int32Array;
}

/**
 * Key-value states on disk: what the model has read, so that a resumed session does not read it again. A state belongs
 * to the tokens that it contains, whatever the session. The least recently used ones are deleted beyond the budget.
 *
 * Without its state, a session only costs the time of reading. So no failure of the disk is one of the answer.
 */
export class StateStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  #entries: Promise<Stored[]> | undefined;

  /**
   * @param folder One for each model and window: another model's state can end the process.
   * @param maxBytes Of all folders beside this one, which belong to other models and windows.
   */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Loads the state with the longest common beginning into the sequence if it is longer than `atLeast`. */
  async restore(sequence: LlamaSequence, tokens: readonly Token[], atLeast: number): Promise<boolean> {
    let best: { entry: Stored; length: number } | undefined;
    for (const entry of await this.#all()) {
      const length = commonLength(entry.tokens, tokens);
      if (length >= atLeast + MIN_STATE_TOKENS && length > (best?.length ?? 0)) best = { entry, length };
    }
    if (best === undefined) return false;
    const path = this.#pathOf(best.entry, 'state');
    const loading = this.#pathOf(best.entry, 'loading');
    try {
      // A damaged state can end the process. The next one does not find it under this name.
      await rename(path, loading);
      await sequence.loadStateFromFile(loading, { acceptRisk: true });
      const used = new Date();
      await utimes(loading, used, used);
      await rename(loading, path);
    } catch {
      // A damaged state costs the time of reading, and is never tried again.
      await this.#delete(best.entry);
      await sequence.clearHistory();
      return false;
    }
    return true;
  }

  /** Stores the state of a sequence. It replaces the states whose tokens it begins with. */
  async save(sequence: LlamaSequence): Promise<void> {
    const tokens = Int32Array.from(sequence.contextTokens);
    if (tokens.length < MIN_STATE_TOKENS || this.#maxBytes === 0) return;
    const entries = await this.#all();
    if (entries.some((entry) => commonLength(tokens, entry.tokens) === tokens.length)) return;
    const entry = { name: randomUUID(), tokens };
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await sequence.saveStateToFile(this.#pathOf(entry, 'new'));
      await writeFile(this.#pathOf(entry, 'tokens'), tokens, { mode: 0o600 });
      await rename(this.#pathOf(entry, 'new'), this.#pathOf(entry, 'state'));
      const replaced = entries.filter((each) => commonLength(each.tokens, tokens) === each.tokens.length);
      entries.push(entry);
      for (const each of replaced) await this.#delete(each);
      await this.#keepBudget();
    } catch (thrown) {
      console.error('What the model has read could not be stored.', thrown);
      await this.#delete(entry);
    }
  }

  /** Counts all files, so that those of deleted models, and of processes that were killed, are deleted at last. */
  async #keepBudget(): Promise<void> {
    const found = new Map<string, { bytes: number; usedAt: number }>();
    for (const file of await filesBelow(dirname(this.#folder))) {
      const base = file.replace(/\.[a-z]+$/, '');
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      const { bytes = 0, usedAt = 0 } = found.get(base) ?? {};
      found.set(base, { bytes: bytes + size, usedAt: Math.max(usedAt, mtimeMs) });
    }
    const entries = await this.#all();
    let kept = 0;
    for (const [base, { bytes }] of [...found].sort(([, left], [, right]) => right.usedAt - left.usedAt)) {
      kept += bytes;
      if (kept <= this.#maxBytes) continue;
      const entry = entries.find((each) => join(this.#folder, each.name) === base);
      await (entry === undefined ? removeFiles(base) : this.#delete(entry));
    }
  }

  async #delete(entry: Stored): Promise<void> {
    const entries = await this.#all();
    const index = entries.indexOf(entry);
    if (index >= 0) entries.splice(index, 1);
    await removeFiles(join(this.#folder, entry.name));
  }

  #all(): Promise<Stored[]> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  async #read(): Promise<Stored[]> {
    const entries: Stored[] = [];
    const files: string[] = await readdir(this.#folder).catch(() => []);
    for (const file of files) {
      const name = file.replace(/\.tokens$/, '');
      if (name === file || !files.includes(`${name}.state`)) continue;
      const bytes = await readFile(join(this.#folder, file)).catch(() => Buffer.alloc(0));
      entries.push({ name, tokens: new Int32Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 2) });
    }
    return entries;
  }

  #pathOf({ name }: { name: string }, kind: (typeof KINDS)[number]): string {
    return join(this.#folder, `${name}.${kind}`);
  }
}

async function removeFiles(base: string): Promise<void> {
  for (const kind of KINDS) await rm(`${base}.${kind}`, { force: true }).catch(() => {});
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

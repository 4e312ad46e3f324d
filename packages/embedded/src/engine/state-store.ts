import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LlamaSequence, Token } from '../library/llama-types.ts';
import { commonLength } from './common-length.ts';

/** A shorter beginning is read again sooner than its state is loaded. */
export const MIN_STATE_TOKENS = 256;

interface Stored {
  name: string;
  tokens: Int32Array;
  bytes: number;
  usedAt: number;
}

/**
 * Key-value states on disk: what the model has read, so that a resumed session does not read it again. A state belongs
 * to the tokens that it contains, whatever the session. The least recently used ones are deleted beyond the budget.
 */
export class StateStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  #entries: Promise<Stored[]> | undefined;

  /** @param folder One for each model and window: another model's state can end the process. */
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
    try {
      await sequence.loadStateFromFile(path, { acceptRisk: true });
    } catch {
      // A damaged state costs the time of reading, and is never tried again.
      await this.#delete(best.entry);
      await sequence.clearHistory();
      return false;
    }
    best.entry.usedAt = Date.now();
    const used = new Date(best.entry.usedAt);
    await utimes(path, used, used);
    return true;
  }

  /** Stores the state of a sequence. It replaces the states whose tokens it begins with. */
  async save(sequence: LlamaSequence): Promise<void> {
    const tokens = Int32Array.from(sequence.contextTokens);
    if (tokens.length < MIN_STATE_TOKENS || this.#maxBytes === 0) return;
    const entries = await this.#all();
    if (entries.some((entry) => commonLength(tokens, entry.tokens) === tokens.length)) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const entry = { name: randomUUID(), tokens, bytes: 0, usedAt: Date.now() };
    const [path, next] = [this.#pathOf(entry, 'state'), this.#pathOf(entry, 'new')];
    const { fileSize } = await sequence.saveStateToFile(next);
    entry.bytes = fileSize + tokens.byteLength;
    await writeFile(this.#pathOf(entry, 'tokens'), tokens, { mode: 0o600 });
    await rename(next, path);
    const replaced = entries.filter((each) => commonLength(each.tokens, tokens) === each.tokens.length);
    entries.push(entry);
    for (const each of replaced) await this.#delete(each);
    await this.#keepBudget();
  }

  async #keepBudget(): Promise<void> {
    const entries = await this.#all();
    entries.sort((left, right) => right.usedAt - left.usedAt);
    let bytes = 0;
    for (const entry of [...entries]) {
      bytes += entry.bytes;
      if (bytes > this.#maxBytes) await this.#delete(entry);
    }
  }

  async #delete(entry: Stored): Promise<void> {
    const entries = await this.#all();
    const index = entries.indexOf(entry);
    if (index >= 0) entries.splice(index, 1);
    for (const kind of ['tokens', 'state'] as const) await rm(this.#pathOf(entry, kind), { force: true });
  }

  #all(): Promise<Stored[]> {
    this.#entries ??= this.#read();
    return this.#entries;
  }

  async #read(): Promise<Stored[]> {
    const entries: Stored[] = [];
    for (const file of await namesIn(this.#folder)) {
      if (!file.endsWith('.tokens')) continue;
      const name = file.slice(0, -'.tokens'.length);
      const state = await stat(join(this.#folder, `${name}.state`)).catch(() => undefined);
      if (state === undefined) continue;
      const bytes = await readFile(join(this.#folder, file));
      const tokens = new Int32Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 2);
      entries.push({ name, tokens, bytes: state.size + bytes.length, usedAt: state.mtimeMs });
    }
    return entries;
  }

  #pathOf({ name }: { name: string }, kind: 'tokens' | 'state' | 'new'): string {
    return join(this.#folder, `${name}.${kind}`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw cause;
  }
}

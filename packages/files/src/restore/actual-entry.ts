import { createHash } from 'node:crypto';
import { type BigIntStats, readlinkSync } from 'node:fs';
import type { LeafNode } from '../format/node.ts';
import type { FileRules } from '../walk/file-rules.ts';
import { isSameStat } from '../walk/file-stat.ts';
import type { OpenFolder } from '../walk/open-folder.ts';
import { readContent, sha256 } from '../walk/read-content.ts';

/** What is at a name of the workspace while it is restored. */
export class ActualEntry {
  readonly #open: OpenFolder;
  readonly #name: string;
  readonly #rules: FileRules;
  readonly info: BigIntStats | undefined;
  readonly #hashes = new Map<string, string | undefined>();

  constructor(open: OpenFolder, name: string, rules: FileRules) {
    this.#open = open;
    this.#name = name;
    this.#rules = rules;
    this.info = open.entry(name);
  }

  /** Whether this is what a tree recorded. Reads the file. */
  matches(node: LeafNode): boolean {
    if (this.info === undefined) return false;
    if (node.kind === 'link') return this.info.isSymbolicLink() && this.#targetHash() === node.hash;
    if (node.kind === 'unreadable' || !this.info.isFile()) return false;
    if (Number(this.info.mode & 0o777n) !== node.mode) return false;
    if (node.kind !== 'secret' && BigInt(node.size) !== this.info.size) return false;
    return this.#contentHash(node.kind === 'secret') === node.hash;
  }

  /** Whether nothing has changed since this object was made. */
  isCurrent(): boolean {
    const now = this.#open.entry(this.#name);
    if (this.info === undefined || now === undefined) return this.info === now;
    return isSameStat(this.info, now);
  }

  #targetHash(): string {
    const target = readlinkSync(this.#open.path(this.#name), 'latin1');
    return createHash('sha256').update(target, 'latin1').digest('binary');
  }

  #contentHash(isSecret: boolean): string | undefined {
    const key = String(isSecret);
    if (!this.#hashes.has(key)) this.#hashes.set(key, this.#readHash(isSecret));
    return this.#hashes.get(key);
  }

  #readHash(isSecret: boolean): string | undefined {
    const read = readContent(this.#open, this.#name, {
      hash: isSecret ? () => this.#rules.secretHash() : sha256,
      now: Date.now,
      keep: undefined,
      passed: () => undefined,
    });
    return read?.hash;
  }
}

import { createHash, createHmac } from 'node:crypto';
import { createIgnoreMatcher, type IgnoreMatcher, ignorePatterns } from '@longhaul/tools/ignore';
import { isSecretFile } from '@longhaul/tools/secret-files';
import type { FilesSettings } from '../files-settings.ts';
import { toBytes } from '../format/names.ts';
import type { HashLike } from './read-content.ts';
import { isTemporaryName } from './temporary-names.ts';

const MEGABYTE = 1_048_576;

/** What is recorded of a workspace, and how, as its settings say. */
export class FileRules {
  readonly maxBytes: number;
  /** Changes with everything on which the kind of a known file can depend. */
  readonly digest: string;
  readonly #isSecret: IgnoreMatcher;
  readonly #key: Uint8Array;

  constructor(settings: FilesSettings, key: Uint8Array) {
    this.maxBytes = Math.floor(settings.maxFileMb * MEGABYTE);
    this.#isSecret = createIgnoreMatcher(ignorePatterns('', settings.secret.map(toBytes)));
    this.#key = key;
    const text = JSON.stringify([settings.secret, this.maxBytes]);
    this.digest = createHmac('sha256', key).update(text).digest('binary');
  }

  isSecret(path: string): boolean {
    return isSecretFile(path) || this.#isSecret(path, false);
  }

  /** A plain hash of a short secret could be guessed. */
  secretHash(): HashLike {
    return createHmac('sha256', this.#key);
  }
}

/** Whether a name is never recorded, in any folder. */
export function isNeverRecorded(name: string): boolean {
  return name.startsWith('.') && (name.toLowerCase() === '.git' || isTemporaryName(name));
}

/** The patterns that hold in a folder: those of the folders above, then its own. */
export class IgnoreRules {
  readonly #patterns: readonly string[];
  readonly #matches: IgnoreMatcher;
  /** The rules below, by folder. The same patterns give the same object. */
  readonly #below = new Map<string, { hash: string; rules: IgnoreRules }>();

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
    this.#matches = createIgnoreMatcher(patterns);
  }

  ignores(path: string, isFolder: boolean): boolean {
    return this.#matches(path, isFolder);
  }

  /** Returns the rules for a folder with an ignore file. */
  withFile(folder: string, content: Uint8Array): IgnoreRules {
    const hash = createHash('sha256').update(content).digest('binary');
    const known = this.#below.get(folder);
    if (known?.hash === hash) return known.rules;
    const lines = Buffer.from(content).toString('latin1').split(/\r?\n/);
    const rules = new IgnoreRules([...this.#patterns, ...ignorePatterns(folder, lines)]);
    this.#below.set(folder, { hash, rules });
    return rules;
  }
}

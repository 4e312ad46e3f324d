import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRule } from '@longhaul/approvals';
import { LonghaulError } from '@longhaul/protocol';
import type { RuleList } from './edit-rules.ts';
import type { Environment } from './environment.ts';
import { replaceFile } from './replace-file.ts';
import { userFolder } from './user-folder.ts';

/** The rules for approvals in the user's own `longhaul.yml`. Comments and everything else in the file stay. */
export class RuleFile {
  readonly path: string;
  readonly #env: Environment;

  constructor(user: { env: Environment; home: string }) {
    this.path = join(userFolder(user), 'longhaul.yml');
    this.#env = user.env;
  }

  /**
   * Adds rules at the end, where they decide before all others.
   *
   * @throws {LonghaulError} `config_invalid` if the file or a rule is not valid. The file stays as it was.
   */
  async add(rules: readonly ApprovalRule[]): Promise<void> {
    const { createJudge } = await import('@longhaul/approvals');
    createJudge(rules);
    await this.#change(({ add }) => {
      for (const rule of rules) add(rule);
      return true;
    });
  }

  /** Removes the last rule that is the same. Returns whether there was one. Throws as `add`. */
  async remove(rule: ApprovalRule): Promise<boolean> {
    return await this.#change(({ list }) => {
      const rules: unknown[] = list.toJSON();
      const index = rules.findLastIndex((each) => isDeepStrictEqual(each, rule));
      return index !== -1 && list.delete(index);
    });
  }

  async #change(change: (rules: RuleList) => boolean): Promise<boolean> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new LonghaulError('file_unreadable', `Cannot read ${this.path} (${error.code}).`);
    });
    // The parser and the schema are not loaded at every start.
    const { editRules } = await import('./edit-rules.ts');
    const next = editRules({ path: this.path, text, env: this.#env }, change);
    if (next === undefined) return false;
    await replaceFile(this.path, next);
    return true;
  }
}

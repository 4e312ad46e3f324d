import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { z } from 'zod';
import { checkedTokenName, isTokenName } from './token-name.ts';

const amount = z.number().positive().nullable().optional();
const budget = z.strictObject({ costUsd: amount, tokens: amount }).optional();
const schema = z.strictObject({ token: budget, tokenDay: budget });

/** The budgets of one named token. Null: no limit. Absent: as configured. */
export type TokenBudget = z.infer<typeof schema>;

const ENDING = '.budget';

/**
 * The budgets of named tokens that differ from the configured ones: one file for each, in the folder of the tokens. It
 * is read before each model call, so a change is effective at once, also that of another process.
 */
export class TokenBudgets {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {LonghaulError} `file_unreadable`, because a damaged budget must not be taken for none. */
  async read(name: string): Promise<TokenBudget> {
    if (!isTokenName(name)) return {};
    const path = this.#pathOf(name);
    try {
      return schema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      throw unreadable(path, error);
    }
  }

  /** Changes the given amounts, and returns all. Undefined: as configured from now on. */
  async change(name: string, changed: TokenBudget): Promise<TokenBudget> {
    checkedTokenName(name);
    const before = await this.read(name);
    const budgets = {
      token: { ...before.token, ...changed.token },
      tokenDay: { ...before.tokenDay, ...changed.tokenDay },
    };
    const path = this.#pathOf(name);
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeNew(temporary, `${JSON.stringify(budgets)}\n`);
      await rename(temporary, path);
    } catch (error) {
      throw unreadable(path, error);
    } finally {
      await rm(temporary, { force: true });
    }
    return budgets;
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  #pathOf(name: string): string {
    return join(this.#folder, `${name}${ENDING}`);
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

function unreadable(path: string, cause: unknown): LonghaulError {
  const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new LonghaulError(
    'file_unreadable',
    `The budgets in ${path} cannot be read or written${reason}. Make the file readable for this user, or delete it and set them again: longhaul token budget NAME.`,
    { cause },
  );
}

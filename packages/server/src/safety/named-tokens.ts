import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError, TOKEN_SCOPES, type TokenScope } from '@longhaul/protocol';
import { z } from 'zod';
import { TokenBudgets } from './token-budgets.ts';
import { checkedTokenName, namedToken, parseNamedToken } from './token-name.ts';
import { untilTime } from './until-time.ts';

const SECRET_BYTES = 32;
const RECORD = '.json';
const USED = '.used';
/** The time of the last use is written at most once in this time. */
const USED_MS = 60_000;

const recordSchema = z.object({
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  /** SHA-256 of the secret, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.int(),
  expiresAt: z.int().optional(),
});

/** What is stored of a named token. Times are in milliseconds since 1970. */
export type NamedTokenRecord = z.infer<typeof recordSchema>;

export interface ListedToken extends Omit<NamedTokenRecord, 'hash'> {
  /** Exact to a minute. Absent: it was not used. */
  usedAt?: number;
  isExpired: boolean;
}

/**
 * The named tokens of a server: one file for each, in a folder that only its owner can read. A file has the hash of the
 * token. It is read at each use, so a change is effective at once, also that of another process.
 */
export class NamedTokens {
  readonly folder: string;
  readonly #until = untilTime();
  readonly #usedAt = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Creates a token, and returns its text, which is not stored.
   *
   * @throws {LonghaulError} `usage` for a name that is taken or not allowed; `file_unreadable`.
   */
  async add(name: string, { scope, expiresAt }: { scope: TokenScope; expiresAt?: number }): Promise<string> {
    checkedTokenName(name);
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const record: NamedTokenRecord = { name, scope, hash: hashOf(secret), createdAt: Date.now(), expiresAt };
    await this.#access('written', async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await createWhole(this.#pathOf(name, RECORD), `${JSON.stringify(record)}\n`);
    });
    return namedToken(name, secret);
  }

  /** Returns the tokens by name, also expired ones. A file that is no token is left out. */
  async list(): Promise<ListedToken[]> {
    const files = await this.#access('read', async () => await readdir(this.folder).catch(ifAbsent));
    const names = (files ?? []).flatMap((file) =>
      file.endsWith(RECORD) ? [file.slice(0, -RECORD.length)] : [],
    );
    const found = await Promise.all(names.toSorted().map((name) => this.record(name)));
    return await Promise.all(
      found.flatMap((record) => (record === undefined ? [] : [record])).map((record) => this.#listed(record)),
    );
  }

  /** Returns whether there was one. */
  async revoke(name: string): Promise<boolean> {
    checkedTokenName(name);
    const path = this.#pathOf(name, RECORD);
    const wasThere = await this.#access('removed', async () => {
      const info = await stat(path).catch(ifAbsent);
      await rm(path, { force: true });
      await rm(this.#pathOf(name, USED), { force: true });
      await new TokenBudgets(this.folder).remove(name);
      return info !== undefined;
    });
    return wasThere;
  }

  /** Returns the valid token in an `Authorization` header, and notes its use. */
  async find(authorization: string | undefined): Promise<NamedTokenRecord | undefined> {
    const given = parseNamedToken(authorization);
    if (given === undefined) return undefined;
    const record = await this.valid(given.name);
    const hash = Buffer.from(hashOf(given.secret), 'hex');
    if (record === undefined || !timingSafeEqual(Buffer.from(record.hash, 'hex'), hash)) return undefined;
    await this.#noteUse(record.name);
    return record;
  }

  /** Returns the token of this name, if it has not expired. */
  async valid(name: string): Promise<NamedTokenRecord | undefined> {
    const record = await this.record(name);
    return record === undefined || this.#until.isOver(record.expiresAt) ? undefined : record;
  }

  /** Returns undefined if there is no such token, or its file is not one. Such a file lets nobody in. */
  private async record(name: string): Promise<NamedTokenRecord | undefined> {
    try {
      const record = recordSchema.parse(JSON.parse(await readFile(this.#pathOf(name, RECORD), 'utf8')));
      return record.name === name ? record : undefined;
    } catch {
      return undefined;
    }
  }

  async #listed({ hash: _hash, ...record }: NamedTokenRecord): Promise<ListedToken> {
    const used = await stat(this.#pathOf(record.name, USED)).catch(() => undefined);
    return {
      ...record,
      ...(used !== undefined && { usedAt: Math.round(used.mtimeMs) }),
      isExpired: this.#until.isOver(record.expiresAt),
    };
  }

  /** A use that cannot be noted is no reason to refuse the request. */
  async #noteUse(name: string): Promise<void> {
    const now = performance.now();
    const last = this.#usedAt.get(name);
    if (last !== undefined && now - last < USED_MS) return;
    this.#usedAt.set(name, now);
    await touch(this.#pathOf(name, USED)).catch((error: unknown) =>
      process.emitWarning(`The use of the token ${name} cannot be noted: ${String(error)}`),
    );
  }

  #pathOf(name: string, ending: string): string {
    return join(this.folder, `${name}${ending}`);
  }

  async #access<Result>(done: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof LonghaulError) throw cause;
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
      throw new LonghaulError(
        'file_unreadable',
        `The tokens in ${this.folder} cannot be ${done} (${code}). Make this folder readable and writable for this user.`,
        { cause },
      );
    }
  }
}

/** Creates the file with its whole content, or refuses a name that is taken. */
async function createWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await using file = await open(temporary, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new LonghaulError(
      'usage',
      'There is a token of this name. Revoke it first (longhaul token revoke NAME), or choose another name.',
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

async function touch(path: string): Promise<void> {
  await using _file = await open(path, 'a', 0o600);
  const now = new Date();
  await utimes(path, now, now);
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

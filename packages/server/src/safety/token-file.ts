import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{32,256}$/;

/**
 * The token in the file, made at the first start. Only its owner can read the file; the token of one that others
 * can read is taken for known, and made anew.
 *
 * @throws {LonghaulError} `file_unreadable` for a file that cannot be read or written, or holds something else.
 */
export async function loadToken(path: string): Promise<{ token: string; isNew: boolean }> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const known = await readPrivate(path);
    if (known !== undefined) return { token: known, isNew: false };
    return await create(path);
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new LonghaulError(
      'file_unreadable',
      `The server's token file ${path} cannot be read or written (${code}). Make its folder writable for this user.`,
      { cause: error },
    );
  }
}

async function readPrivate(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(ifAbsent);
  if (info === undefined) return undefined;
  const token = (await readFile(path, 'utf8')).trim();
  if (!TOKEN.test(token)) {
    throw new LonghaulError(
      'file_unreadable',
      `${path} should hold the server's token, 32 to 256 letters, digits, - and _, and holds something else. Remove it, and a new one is made.`,
    );
  }
  const isShared = (info.mode & 0o077) !== 0;
  return isShared ? replace(path) : token;
}

/** Two servers that start together end up with one token: who comes second reads the first one's, which is there whole. */
async function create(path: string): Promise<{ token: string; isNew: boolean }> {
  const made = await writeBeside(path);
  try {
    await link(made.path, path);
    return { token: made.token, isNew: true };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return await loadToken(path);
  } finally {
    await rm(made.path, { force: true });
  }
}

async function replace(path: string): Promise<string> {
  const made = await writeBeside(path);
  await rename(made.path, path);
  return made.token;
}

async function writeBeside(path: string): Promise<{ path: string; token: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  await using file = await open(beside, 'wx', 0o600);
  await file.writeFile(`${token}\n`);
  await file.sync();
  return { path: beside, token };
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

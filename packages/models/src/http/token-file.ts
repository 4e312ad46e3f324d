import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{32,256}$/;

/**
 * Returns the token in the file, and creates it if the file does not exist. Only the owner of the file can read it. If
 * others can read it, the token counts as leaked and is replaced.
 *
 * @throws {LonghaulError} `file_unreadable` if the file cannot be read or written, or does not contain a token.
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
      `The server's token file ${path} cannot be read or written (${code}). Make the file and its folder readable and writable for this user.`,
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
      `${path} does not contain a valid server token (32 to 256 letters, digits, - and _). Delete the file: the next start creates a new token.`,
    );
  }
  const isShared = (info.mode & 0o077) !== 0;
  return isShared ? replace(path) : token;
}

/**
 * Creates the file with a new token. If two servers start together, the second one reads the complete file of the
 * first.
 */
async function create(path: string): Promise<{ token: string; isNew: boolean }> {
  const made = await writeTemporary(path);
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
  const made = await writeTemporary(path);
  await rename(made.path, path);
  return made.token;
}

async function writeTemporary(path: string): Promise<{ path: string; token: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  await using file = await open(temporary, 'wx', 0o600);
  await file.writeFile(`${token}\n`);
  await file.sync();
  return { path: temporary, token };
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

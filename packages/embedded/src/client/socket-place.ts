import { createHash } from 'node:crypto';
import { lstat, mkdir, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

/** On macOS. Linux allows four more. */
const MOST_BYTES = 103;

type Environment = Readonly<Record<string, string | undefined>>;

/** Identifies a file by its path, size and time of change. */
export async function modelId(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return createHash('sha256')
    .update(JSON.stringify([path, size, mtimeMs]))
    .digest('hex')
    .slice(0, 24);
}

/**
 * Returns the address at which the process of a model listens: a socket in a folder that only this user can enter.
 *
 * @throws {LonghaulError} `config_invalid` if the folder belongs to somebody else, cannot be created, or has too long a path.
 */
export async function socketPlace(id: string, env: Environment): Promise<string> {
  if (process.platform === 'win32') return `\\\\.\\pipe\\longhaul-${userInfo().username}-${id}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const folder =
    runtime !== undefined && isAbsolute(runtime)
      ? join(runtime, 'longhaul')
      : join(tmpdir(), `longhaul-${process.getuid?.() ?? 0}`);
  await ownFolder(folder);
  const found = await lstat(folder);
  const isOwn = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOwn) {
    throw new LonghaulError(
      'config_invalid',
      `The folder ${folder}, for the sockets of embedded models, must be a folder of yours that nobody else can enter. Remove it, or set XDG_RUNTIME_DIR to another folder.`,
    );
  }
  const socket = join(folder, `${id}.sock`);
  if (Buffer.byteLength(socket) > MOST_BYTES) {
    throw new LonghaulError(
      'config_invalid',
      `The path of a socket has at most ${MOST_BYTES} bytes, which ${socket} exceeds. Set XDG_RUNTIME_DIR to a shorter folder.`,
    );
  }
  return socket;
}

/** Creates a folder for this user only. @throws {LonghaulError} `config_invalid` with what prevents it. */
export async function ownFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError(
      'config_invalid',
      `The folder ${folder}, which embedded models need, cannot be created: ${why}.`,
      { cause },
    );
  }
}

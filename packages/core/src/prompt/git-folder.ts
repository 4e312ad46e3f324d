import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { WorkspaceFiles } from '../ports/index.ts';

type Files = Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>;

/** Reads a file of git, or undefined if it is missing, larger, or not a regular file. */
export type ReadGitFile = (name: 'HEAD' | 'index', maxBytes: number) => Promise<Uint8Array | undefined>;

const MAX_LINK_BYTES = 8_192;

/**
 * Finds the files of git for a workspace: in its folder `.git`, or for a linked working tree in the folder that its
 * file `.git` names.
 *
 * That folder is outside the workspace, and anybody can write such a file. So the folder must name the workspace in turn,
 * as `git worktree add` writes it. Only its files HEAD and index are read.
 */
export async function openGitFolder(files: Files): Promise<ReadGitFile> {
  const info = await files.stat('.git');
  if (info?.kind !== 'file') return (name, maxBytes) => readInside(files, `.git/${name}`, maxBytes);
  const folder = await linkedFolder(files);
  return async (name, maxBytes) =>
    folder === undefined ? undefined : await readPlain(join(folder, name), maxBytes);
}

/** Reads a file of the workspace, as `ReadGitFile`. */
export async function readInside(
  files: Files,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const info = await files.stat(path);
  // Reading anything else, such as a pipe, could wait without end.
  if (info?.kind !== 'file' || info.size > maxBytes) return undefined;
  return await files.read(path, { start: 0, length: info.size });
}

async function linkedFolder(files: Files): Promise<string | undefined> {
  const named = pathIn(await readInside(files, '.git', MAX_LINK_BYTES), /^gitdir: (.+)$/);
  if (named === undefined) return undefined;
  const folder = resolve(files.root, named);
  // A link on the way could lead to another folder at each look.
  if (!/\.git\/worktrees\/[^/]+$/.test(folder)) return undefined;
  if ((await realpath(folder)) !== folder) return undefined;
  const back = pathIn(await readPlain(join(folder, 'gitdir'), MAX_LINK_BYTES), /^(.+)$/);
  if (back === undefined) return undefined;
  const other = isAbsolute(back) ? back : resolve(folder, back);
  return (await realpath(other)) === join(await realpath(files.root), '.git') ? folder : undefined;
}

function pathIn(data: Uint8Array | undefined, form: RegExp): string | undefined {
  const [, path] = form.exec(new TextDecoder().decode(data).trimEnd()) ?? [];
  return path?.includes('\0') === true ? undefined : path;
}

/** Reads a regular file without following a link in its place. */
async function readPlain(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  await using _closed = handle;
  const info = await handle.stat();
  if (!info.isFile() || info.size > maxBytes) return undefined;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(info.size), { position: 0 });
  return buffer.subarray(0, bytesRead);
}

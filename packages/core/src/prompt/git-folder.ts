import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { WorkspaceFiles } from '../ports/index.ts';

type Files = Pick<WorkspaceFiles, 'root' | 'stat' | 'read'>;

/**
 * The content of a file of git. Undefined: it is missing. `unreadable`: it is larger than allowed, or no regular file.
 */
export type GitFile = Uint8Array | 'unreadable' | undefined;

/**
 * Reads a file of git. Branches and their packed form are those of the repository, the others those of the workspace.
 */
export type ReadGitFile = (name: GitFileName, maxBytes: number) => Promise<GitFile>;
type GitFileName = 'HEAD' | 'index' | SharedFileName;
type SharedFileName = 'packed-refs' | `refs/heads/${string}`;

const MAX_LINK_BYTES = 8_192;

/**
 * Finds the files of git for a workspace: in its folder `.git`, or for a linked working tree in the folder that its
 * file `.git` names.
 *
 * That folder is outside the workspace, and anybody can write such a file. So the folder must name the workspace in
 * turn, as `git worktree add` writes it. Only its files HEAD and index are read, and the branches of its repository.
 */
export async function openGitFolder(files: Files): Promise<ReadGitFile> {
  const info = await files.stat('.git');
  if (info?.kind !== 'file') return (name, maxBytes) => readInside(files, `.git/${name}`, maxBytes);
  const folder = await linkedFolder(files);
  if (folder === undefined) return async () => 'unreadable';
  return (name, maxBytes) => readPlain(join(isShared(name) ? repositoryOf(folder) : folder, name), maxBytes);
}

function isShared(name: GitFileName): name is SharedFileName {
  return name === 'packed-refs' || name.startsWith('refs/heads/');
}

/** Returns `.git` of `.git/worktrees/NAME`. */
function repositoryOf(folder: string): string {
  return dirname(dirname(folder));
}

/** Reads a file of the workspace, as `ReadGitFile`. */
export async function readInside(files: Files, path: string, maxBytes: number): Promise<GitFile> {
  const info = await files.stat(path);
  if (info === undefined) return undefined;
  // Reading anything else, such as a pipe, could wait without end.
  if (info.kind !== 'file' || info.size > maxBytes) return 'unreadable';
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

function pathIn(data: GitFile, form: RegExp): string | undefined {
  if (data === 'unreadable') return undefined;
  const [, path] = form.exec(new TextDecoder().decode(data).trimEnd()) ?? [];
  return path?.includes('\0') === true ? undefined : path;
}

/** Reads a regular file without following a link in its place. */
async function readPlain(path: string, maxBytes: number): Promise<GitFile> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(missingOrUnreadable);
  if (handle === undefined || handle === 'unreadable') return handle;
  await using _closed = handle;
  const info = await handle.stat();
  if (!info.isFile() || info.size > maxBytes) return 'unreadable';
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(info.size), { position: 0 });
  return buffer.subarray(0, bytesRead);
}

function missingOrUnreadable(error: unknown): undefined | 'unreadable' {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : 'unreadable';
}

import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { LoadConfigOptions } from './load-config-options.ts';
import { readInside } from './read-inside.ts';
import { readRegularFile } from './read-regular-file.ts';
import { userFolder } from './user-folder.ts';

const FILE_NAME = 'longhaul.yml';
/** A project's file is read by every command, before anybody trusts it. */
const MAX_PROJECT_BYTES = 64_000;

export interface ConfigFile {
  path: string;
  text: string;
}

/** Reads the first existing file of each group. */
export async function readFiles(
  groups: readonly (readonly string[])[],
  options: LoadConfigOptions,
): Promise<ConfigFile[]> {
  const found: ConfigFile[] = [];
  for (const group of groups) {
    for (const path of group) {
      const read = sourceOf({ path }, options) === 'project' ? readOfProject : readAnywhere;
      const text = await ifThere(path, read);
      if (text === undefined || found.some((file) => file.path === path)) continue;
      found.push({ path, text });
      break;
    }
  }
  return found;
}

export function fileNotThere(path: string): LonghaulError {
  return new LonghaulError('file_unreadable', `The configuration file ${path} does not exist.`);
}

async function readAnywhere(path: string): Promise<Uint8Array> {
  return (await readRegularFile(path)).bytes;
}

/** A link of a project must not lead to a file of the user: what the project wants is shown, also to clients. */
async function readOfProject(path: string): Promise<Uint8Array> {
  const read = await readInside(path, await realpath(dirname(path)), MAX_PROJECT_BYTES);
  if ('bytes' in read) return read.bytes;
  throw new LonghaulError(
    'file_unreadable',
    `${path} is refused: the file that it leads to ${read.problem}. Replace the link with a file, or name the file yourself with --config.`,
  );
}

async function ifThere(
  path: string,
  read: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await read(path));
  } catch (error) {
    if (error instanceof LonghaulError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EFBIG' && error instanceof Error) {
      throw new LonghaulError('file_unreadable', `${error.message} Shorten it, or remove it.`, {
        cause: error,
      });
    }
    throw new LonghaulError(
      'file_unreadable',
      `Cannot read ${path} (${String(code)}). Make the file readable, or remove it.`,
      { cause: error },
    );
  }
}

export async function projectFiles({ cwd, home, file }: LoadConfigOptions): Promise<string[]> {
  if (file !== undefined) return [file];
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === resolve(home) || (await exists(join(folder, '.git')))) {
      return folders.map((path) => join(path, FILE_NAME));
    }
    // Outside a repository and the home folder, a file above could belong to anybody.
    if (dirname(folder) === folder) return [join(resolve(cwd), FILE_NAME)];
  }
}

/** Other agents read the servers of a project from this file. */
const SERVERS_FILE = '.mcp.json';

/** Reads the file with servers beside the project's file; without one, the nearest. */
export async function serversFile(
  options: LoadConfigOptions,
  project: ConfigFile | undefined,
): Promise<ConfigFile | undefined> {
  if (options.file !== undefined) return undefined;
  const beside = project === undefined ? await projectFiles(options) : [project.path];
  for (const path of beside.map((each) => join(dirname(each), SERVERS_FILE))) {
    const text = await ifThere(path, readOfProject);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

export function userFile(options: LoadConfigOptions): string {
  return join(userFolder(options), FILE_NAME);
}

export function sourceOf(
  { path }: Pick<ConfigFile, 'path'>,
  options: LoadConfigOptions,
): 'user' | 'file' | 'project' {
  if (path === userFile(options)) return 'user';
  return path === options.file ? 'file' : 'project';
}

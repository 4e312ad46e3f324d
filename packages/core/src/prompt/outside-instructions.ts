import { access } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { hostFiles, realpathOrUndefined } from './host-files.ts';
import { type InstructionFile, readInstructionFiles } from './instruction-files.ts';

/** Where instruction files outside the workspace are looked for. */
export interface OutsideInstructions {
  /** Absolute. */
  workspace: string;
  /** The folder with the user's own `AGENTS.md`, absolute. */
  userFolder: string;
  /** Absolute. The search above the workspace ends here. */
  home: string;
}

const NAME = 'AGENTS.md';

/**
 * Reads the instruction files that the agent's sandbox does not have: the user's own, and those of the folders above
 * the workspace, up to the root of its git repository. Links that lead out of a folder are not followed there.
 */
export async function readOutsideInstructions(options: OutsideInstructions): Promise<InstructionFile[]> {
  const { workspace } = options;
  const [own, ...above] = await Promise.all([
    readOwn(options),
    ...(await foldersAbove(options)).map((folder) => readAbove(folder, workspace)),
  ]);
  return [...(own ?? []), ...above.flat()];
}

/** The user's file may be a link, as programs that keep such files in a repository make them. */
async function readOwn({ userFolder, home }: OutsideInstructions): Promise<InstructionFile[]> {
  const file = await realpathOrUndefined(join(userFolder, NAME));
  if (file === undefined) return [];
  const shown = userFolder.startsWith(home + sep) ? join('~', relative(home, userFolder)) : userFolder;
  const found = await readInstructionFiles(hostFiles(dirname(file)), [basename(file)], { origin: 'user' });
  return found.map((each, index) => ({ ...each, path: join(shown, index === 0 ? NAME : each.path) }));
}

async function readAbove(folder: string, workspace: string): Promise<InstructionFile[]> {
  const found = await readInstructionFiles(hostFiles(folder), [NAME], { origin: 'above' });
  return found.map((file) => ({ ...file, path: relative(workspace, join(folder, file.path)) }));
}

/** Returns the folders above the workspace, the root of its git repository first. None outside of a repository. */
async function foldersAbove({ workspace, home }: OutsideInstructions): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = workspace; ; folder = dirname(folder)) {
    if (folder !== workspace) folders.unshift(folder);
    if (await exists(join(folder, '.git'))) return folders;
    if (folder === home || folder === dirname(folder)) return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside, realPathOf } from './host-paths.ts';

/** Folders of the system or of its package managers. They come first, whatever the order of PATH. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/opt', '/nix', '/run/current-system', '/snap'];

/** The folders in which agents of this process can write, without symbolic links. */
const agentFolders = new Set<string>();

/** Declares a folder in which an agent can write, so that no program in it is run on this machine. */
export function addAgentFolder(folder: string): void {
  agentFolders.add(realPathOf(folder));
}

/**
 * Returns the path of a program that is run on this machine, outside of any sandbox, or undefined.
 *
 * An activated environment of a project puts the project's own folder into PATH, where an agent can write programs with
 * any name. So relative folders and those below an agent's folder are left out, also if a link leads there.
 */
export function findHostProgram(name: string, path = process.env['PATH'] ?? ''): string | undefined {
  const names = process.platform === 'win32' ? [`${name}.exe`] : [name];
  return orderedFolders(path)
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find((program) => isExecutable(program) && !isAgents(program));
}

/**
 * Returns the PATH for a program that is run on this machine and starts others by name, without the folders that
 * `findHostProgram` leaves out.
 */
export function hostPath(path = process.env['PATH'] ?? ''): string {
  return orderedFolders(path)
    .filter((folder) => !isBelowAgents([folder, realPathOf(folder)]))
    .join(delimiter);
}

function orderedFolders(path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const isSystem = (folder: string) => SYSTEM_FOLDERS.some((base) => isInside(folder, base));
  return [...folders.filter(isSystem), ...folders.filter((folder) => !isSystem(folder))];
}

function isAgents(program: string): boolean {
  return isBelowAgents([program, realPathOf(join(program, '..')), realPathOf(program)]);
}

function isBelowAgents(places: readonly string[]): boolean {
  return [...agentFolders].some((folder) => places.some((place) => isInside(place, folder)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

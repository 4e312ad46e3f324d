import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ownRuntime } from '../own-runtime.ts';

/**
 * Returns the folders of the Node.js and the Bun that commands can run, since the agent often works on JavaScript: what
 * runs this process, and under Bun also the first Node.js on the PATH. A single file runs nothing but Longhaul.
 */
export function ownProgramFolders(path = process.env['PATH'] ?? ''): string[] {
  const { name, isSingleFile } = ownRuntime();
  if (name === 'node') return [dirname(process.execPath)];
  const node = path.split(delimiter).find((folder) => existsSync(join(folder, 'node')));
  return [...(node === undefined ? [] : [node]), ...(isSingleFile ? [] : [dirname(process.execPath)])];
}

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { init, parse } from 'es-module-lexer';
import { readInside } from '../read-inside.ts';
import { unreadable } from '../read-regular-file.ts';

/** A file of a project whose bytes were read once: they are shown, hashed and used. */
export interface ProjectFile {
  /** Absolute, without symbolic links. */
  path: string;
  sha256: string;
  bytes: Uint8Array;
}

/** Of a prompt or a module. */
const MAX_BYTES = 1_000_000;

const MISSING = 'does not exist';

export type ReadProjectFile = ProjectFile | { problem: string };

/**
 * Reads a file of a project.
 *
 * @param root The project's folder, without symbolic links. A file outside of it is refused, also one behind a link.
 */
export async function readProjectFile(path: string, root: string): Promise<ReadProjectFile> {
  try {
    const read = await readInside(resolve(root, path), root, MAX_BYTES);
    if ('problem' in read) return read;
    return { ...read, sha256: createHash('sha256').update(read.bytes).digest('hex') };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code));
    return { problem: isMissing ? MISSING : unreadable(error, MAX_BYTES) };
  }
}

const MAX_MODULES = 100;

/**
 * Reads a module and the modules that it imports by a literal path. All of them must be in the project. Anything else
 * that it loads is refused when it is loaded.
 */
export async function readModules(entry: string, root: string): Promise<ProjectFile[] | { problem: string }> {
  await init;
  const first = await readProjectFile(entry, root);
  if ('problem' in first) return first;
  const found = new Map([[first.path, first]]);
  for (const file of found.values()) {
    for (const path of importsOf(file)) {
      const next = await readProjectFile(path, root);
      if (!('problem' in next)) found.set(next.path, found.get(next.path) ?? next);
      // A type import of TypeScript may name a file that does not exist. If it exists later, loading it is refused.
      else if (next.problem !== MISSING) return { problem: `imports ${path}, which ${next.problem}` };
    }
    if (found.size > MAX_MODULES) return { problem: `imports more than ${MAX_MODULES} files` };
  }
  return [...found.values()];
}

function importsOf({ path, bytes }: ProjectFile): string[] {
  const text = new TextDecoder().decode(bytes);
  const names = specifiers(text).filter((name) => /^(?:\.{0,2}\/|file:)/.test(name));
  return names.flatMap((name) => {
    const url = URL.parse(name, pathToFileURL(path).href);
    return url?.protocol === 'file:' && url.host === '' ? [fileURLToPath(url)] : [];
  });
}

/** A file that is not an ES module, such as JSON or CommonJS, has none. */
function specifiers(text: string): string[] {
  try {
    return parse(text)[0].flatMap(({ n }) => n ?? []);
  } catch {
    return [];
  }
}

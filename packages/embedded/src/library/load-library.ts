import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '@longhaul/protocol';
import type { JinjaLibrary, LlamaLibrary } from './llama-types.ts';

/** The version that Longhaul is tested with. */
const LIBRARY = 'node-llama-cpp@3.21.1';

export interface Libraries {
  llama: LlamaLibrary;
  jinja: JinjaLibrary;
}

/**
 * Loads node-llama-cpp, which is no dependency of Longhaul: it and its programs take more space than Longhaul itself.
 * It is looked for in the folder of the embedded models, and then where Longhaul is installed.
 *
 * @throws {LonghaulError} `config_invalid` with the command that installs it, or with why it cannot be loaded.
 */
export async function loadLibrary(folder: string): Promise<Libraries> {
  const path = findLibrary(folder);
  if (path === undefined) throw notInstalled(folder);
  try {
    const llama: LlamaLibrary = await import(pathToFileURL(path).href);
    const jinja: JinjaLibrary = await import(
      pathToFileURL(createRequire(path).resolve('@huggingface/jinja')).href
    );
    return { llama, jinja };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError(
      'config_invalid',
      `The package node-llama-cpp in ${path} cannot be loaded: ${why}. ${installCommand(folder)}`,
      { cause },
    );
  }
}

/** Returns the main file of the library, or undefined if it is not installed. */
function findLibrary(folder: string): string | undefined {
  for (const from of [join(folder, 'library.js'), import.meta.url]) {
    try {
      return createRequire(from).resolve('node-llama-cpp');
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND')) throw cause;
    }
  }
  return undefined;
}

/** The error for a machine without the library, with the command that installs it. */
function notInstalled(folder: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `Models of the provider "embedded" run on the package node-llama-cpp, which is not installed. ${installCommand(folder)}`,
  );
}

function installCommand(folder: string): string {
  return `Install it with: npm install --prefix ${JSON.stringify(folder)} ${LIBRARY}`;
}

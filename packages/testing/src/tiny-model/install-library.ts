import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Installs a library of embedded models that does this instead of loading a model.
 *
 * @param code What its `getLlama` returns.
 */
export async function installLibrary(folder: string, code: string): Promise<void> {
  for (const [name, text] of [
    ['node-llama-cpp', `export const getLlama = () => ${code};`],
    ['node-llama-cpp/node_modules/@huggingface/jinja', 'export {};'],
  ] as const) {
    const place = join(folder, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{"type":"module","exports":"./index.js"}');
    await writeFile(join(place, 'index.js'), text);
  }
}

/** For `installLibrary`: a model that never finishes loading. */
export const LOADS_FOR_EVER = 'new Promise(() => {})';

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A model on this machine. */
export interface PulledModel {
  name: string;
  /** Its file, the first if there are several. */
  path: string;
  bytes: number;
}

/** Returns the folder of a model's files. */
export function folderOfModel(folder: string, name: string): string {
  return join(folder, 'models', name);
}

/** Returns the models that were fetched, by name. */
export async function pulledModels(folder: string): Promise<PulledModel[]> {
  const names = await entriesOf(join(folder, 'models'));
  const models = await Promise.all(names.map((name) => pulledModel(folder, name)));
  return models.filter((model) => model !== undefined);
}

/** Undefined: it was not fetched, or not to its end. */
export async function pulledModel(folder: string, name: string): Promise<PulledModel | undefined> {
  const place = folderOfModel(folder, name);
  const files = (await entriesOf(place)).filter((file) => /\.gguf$/i.test(file)).sort();
  const [first] = files;
  if (first === undefined) return undefined;
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(place, file))).size));
  return { name, path: join(place, first), bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Deletes the files of a model. Returns false if there are none. */
export async function removeModel(folder: string, name: string): Promise<boolean> {
  // Only what is directly in the folder of the models.
  if (!(await entriesOf(join(folder, 'models'))).includes(name)) return false;
  const files = await entriesOf(folderOfModel(folder, name));
  await rm(folderOfModel(folder, name), { recursive: true, force: true });
  return files.length > 0;
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR'))
      return [];
    throw cause;
  }
}

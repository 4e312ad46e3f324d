import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ASSETS, PROGRAMS } from '../bundle-parts.ts';

const VOCABULARIES = 'lib/models/dist/tokenizers/vocabularies';

/** The watchdog's thread reads how Node.js keeps signals. */
const ONLY_NODE = 'cli/bin/watchdog.js';

/** Read by the image decoder, from the folder of its code. */
const DECODER = 'photon_rs_bg.wasm';

export interface Stage {
  /** Folder of the code. Its programs are at the paths that they get inside the single file. */
  code: string;
  /** Paths of the programs in it. */
  programs: string[];
  /** Folders and files that Bun puts beside the code, below their own name. */
  assets: string[];
}

/**
 * Copies the bundle into code and files, as Bun takes them.
 *
 * To make the single file smaller, vocabularies are compressed, and the compressed copies of the page are left out.
 */
export async function stageBundle(root: string, folder: string): Promise<Stage> {
  const [bundle, code, files] = [
    join(root, 'packages/cli/bundle'),
    join(folder, 'code'),
    join(folder, 'files'),
  ];
  const read = ASSETS.filter((path) => path !== ONLY_NODE).map((path) => `lib/${path}`);
  await cp(bundle, code, { recursive: true });
  for (const path of [...read, DECODER]) {
    const options = { recursive: true, filter: (each: string) => !/\.(?:br|gz)$/.test(each) };
    await mkdir(join(files, path, '..'), { recursive: true });
    await cp(join(bundle, path), join(files, path), options);
    await rm(join(code, path), { recursive: true });
  }
  await compressFiles(join(files, VOCABULARIES));
  await cp(join(root, 'packages/cli/bin/start.js'), join(code, 'start.js'));
  await cp(join(root, 'scripts/binary/entry.js'), join(code, 'longhaul.js'));
  const programs = PROGRAMS.map((path) => `lib/${path}`);
  return { code, programs, assets: [join(files, 'lib'), join(files, DECODER)] };
}

async function compressFiles(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.tiktoken'))) {
    const path = join(folder, name);
    await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
    await rm(path);
  }
}

import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const VOCABULARIES = 'lib/models/dist/tokenizers/vocabularies';

/** Files of the bundle that are read as files. Everything else in it is code. */
const READ_FILES = [
  'lib/cli/package.json',
  'lib/models/dist/catalogue/data',
  VOCABULARIES,
  'lib/replay/src/html',
  'lib/scripted-model/src/demo/app',
  'lib/web/dist',
];

/** Read by the image decoder, from the folder of its code. */
const DECODER = 'photon_rs_bg.wasm';

/** Programs of the bundle that are started by path, without those that only Node.js runs. */
export const PROGRAMS = [
  'lib/files/dist/worker/diff-worker.js',
  'lib/files/dist/worker/recorder-worker.js',
  'lib/models/dist/tokenizers/tokenizer-worker.js',
  'lib/replay/dist/backtest/worker.js',
  'lib/replay/dist/through-agent/play-script-module.js',
  'lib/scripted-model/dist/demo/index.js',
  'lib/scripted-model/dist/process-entry.js',
  'lib/tools/dist/line-matcher-worker.js',
  'lib/tools/dist/web/page-worker.js',
];

export interface Stage {
  /** Folder of the code. Its programs are at the paths that they get inside the single file. */
  code: string;
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
  await cp(bundle, code, { recursive: true });
  for (const path of [...READ_FILES, DECODER]) {
    const options = { recursive: true, filter: (each: string) => !/\.(?:br|gz)$/.test(each) };
    await mkdir(join(files, path, '..'), { recursive: true });
    await cp(join(bundle, path), join(files, path), options);
    await rm(join(code, path), { recursive: true });
  }
  await compressFiles(join(files, VOCABULARIES));
  await cp(join(root, 'packages/cli/bin/start.js'), join(code, 'start.js'));
  await cp(join(root, 'scripts/binary/entry.js'), join(code, 'longhaul.js'));
  return { code, assets: [join(files, 'lib'), join(files, DECODER)] };
}

async function compressFiles(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.tiktoken'))) {
    const path = join(folder, name);
    await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
    await rm(path);
  }
}

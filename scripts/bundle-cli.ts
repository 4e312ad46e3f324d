/**
 * Bundles the `longhaul` command and its dependencies into packages/cli/bundle, so that the published package has no
 * dependencies. An install is small, works with every node_modules layout, and loads a few files instead of about 400
 * modules.
 *
 * Modules that find files relative to `import.meta.url` keep their path: a module of package X sees
 * `bundle/lib/X/dist/…`, whichever chunk its code is in. Programs that are started by path are entries under these
 * paths. Files that are read by path are copied there. So the folder is complete: scripts/binary.ts makes it one file.
 */
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, type Plugin, type RolldownOutput, rolldown } from 'rolldown';
import { asciiChunks } from './ascii-chunks.ts';
import { builtinImports } from './builtin-imports.ts';
import { ASSETS, PROGRAMS } from './bundle-parts.ts';
import { lazyDocker } from './lazy-docker.ts';
import { lazyEmoji } from './lazy-emoji.ts';
import { licenceNotice } from './licence-notice.ts';
import { mergeChunks } from './merge-chunks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = join(ROOT, 'packages');
const BUNDLE = join(PACKAGES, 'cli/bundle');

/** WebAssembly of third-party packages. */
const WASM = ['@silvia-odwyer/photon-node/photon_rs_bg.wasm'];

/** Modules loaded only under Bun, and optional native modules that their packages work without. */
const STAYS_OUTSIDE = ['bun:sqlite', 'cpu-features', /\.node$/];

/**
 * What is loaded together, by what loads it, in the order in which a command loads it. Commands load the earlier groups
 * without the later ones: help and wrong usage need the first two, and the prompt of a chat a third.
 */
const GROUPS = {
  start: ['cli/dist/main.js'],
  'command-line': [
    'cli/dist/command-line/checked-address.js',
    'cli/dist/command-line/flags.js',
    'cli/dist/command-line/parse-flags.js',
    'cli/dist/command-line/shell-words.js',
  ],
  run: ['cli/dist/commands/run.js'],
  chat: ['cli/dist/commands/chat.js'],
  front: ['cli/dist/chat/front.js', 'cli/dist/chat/composer/kept-texts.js'],
  settings: [
    'cli/dist/compose/load-settings.js',
    'cli/dist/compose/changed-settings.js',
    'cli/dist/compose/open-storage.js',
    'cli/dist/run/confirm.js',
  ],
  session: ['cli/dist/session/choose-session.js', 'cli/dist/session/require-folder.js'],
  // What a run prints. Only one at a terminal needs Markdown, and loads it while it waits for the model.
  report: [
    'cli/dist/render/run-summary.js',
    'cli/dist/render/tool-details.js',
    'cli/dist/render/tool-line.js',
  ],
  markdown: ['cli/dist/render/markdown.js'],
  'chat-session': ['cli/dist/chat/show-session.js'],
  agent: ['cli/dist/run/run-task.js'],
  sqlite: [
    'storage/dist/sqlite/index.js',
    'storage/dist/sqlite/open-database.js',
    'storage/dist/blobs/file-blob-store.js',
    'drizzle-orm/node-sqlite/driver.js',
  ],
  sandbox: ['sandbox/dist/index.js'],
  'ai-sdk': ['drivers/dist/ai-sdk/language-model.js', '@ai-sdk/openai-compatible/dist/index.js'],
} as const;

/** Groups that only the chat loads. Other commands load the groups after them. */
const BRANCHES = ['chat', 'front'];

await rm(BUNDLE, { recursive: true, force: true });
const build = await rolldown({
  input: {
    main: join(PACKAGES, 'cli/dist/main.js'),
    ...Object.fromEntries(PROGRAMS.map((path) => [`lib/${path.replace(/\.js$/, '')}`, join(PACKAGES, path)])),
  },
  platform: 'node',
  external: STAYS_OUTSIDE,
  // An import of one name from a package does not load the rest of the package.
  treeshake: { moduleSideEffects: [{ test: /\/packages\/[^/]+\/dist\//, sideEffects: false }] },
  // Chunks of groups may export more than their modules do.
  preserveEntrySignatures: 'allow-extension',
  plugins: [keepModuleUrls(), builtinImports(), lazyDocker(), lazyEmoji(), asciiChunks()],
  // For CommonJS modules in an ES module: Docker's client uses __dirname for files that only image builds need.
  transform: { define: { __dirname: 'import.meta.dirname' } },
  // A module may be imported both statically and dynamically.
  checks: { ineffectiveDynamicImport: false },
});
// The program reads its whole text at each start: without docstrings it is a sixth smaller.
const layout = { format: 'esm', chunkFileNames: '[name]-[hash].js', comments: { jsdoc: false } } as const;
const separate = await build.generate(layout);
const groups = mergeChunks(chunksOf(separate), { apart: PROGRAMS, groups: GROUPS, branches: BRANCHES });
const { output } = await build.write({ ...layout, dir: BUNDLE, codeSplitting: { groups } });
await build.close();
await copyAssets();
await writeLicences(chunksOf({ output }));

/** Replaces `import.meta.url` in this repository's modules with their URL below `lib`. */
function keepModuleUrls(): Plugin {
  const PLACEHOLDER = /__moduleUrl\("([^"]+)"\)/g;
  return {
    name: 'keep-module-urls',
    transform(code, id) {
      const path = relative(PACKAGES, id);
      if (path.startsWith('..') || !code.includes('import.meta.url')) return null;
      return code.replaceAll('import.meta.url', `__moduleUrl("${path}")`);
    },
    renderChunk(code, chunk) {
      return code.replace(PLACEHOLDER, (_, path: string) => {
        const place = `lib/${path}`;
        if (place === chunk.fileName) return 'import.meta.url';
        const target = posix.relative(posix.dirname(chunk.fileName), place);
        return `new URL(${JSON.stringify(target)}, import.meta.url).href`;
      });
    },
  };
}

function chunksOf({ output }: Pick<RolldownOutput, 'output'>): OutputChunk[] {
  return output.filter((file) => file.type === 'chunk');
}

async function copyAssets(): Promise<void> {
  for (const folder of ASSETS) {
    await cp(join(PACKAGES, folder), join(BUNDLE, 'lib', folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
  }
  // Read by path from the folder of the module that loads it, which is now a chunk in the bundle's folder.
  for (const path of WASM) await cp(join(ROOT, 'node_modules', path), join(BUNDLE, basename(path)));
}

/** Writes the licences of the third-party packages in the bundle. */
async function writeLicences(chunks: readonly OutputChunk[]): Promise<void> {
  const roots = new Set(chunks.flatMap(({ moduleIds }) => moduleIds).flatMap(thirdPartyRoot));
  roots.add(join(ROOT, 'node_modules/gpt-tokenizer'));
  const texts = await Promise.all([...roots].sort().map(licenceNotice));
  texts.push(await readFile(join(PACKAGES, 'models/src/catalogue/data/LICENSE'), 'utf8'));
  await writeFile(join(BUNDLE, 'THIRD_PARTY_LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** Returns the folder of the package below the last `node_modules` of a module's path; empty if there is none. */
function thirdPartyRoot(id: string): string[] {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, ''));
  return match?.[1] === undefined ? [] : [match[1]];
}

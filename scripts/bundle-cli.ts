/**
 * Bundles the `longhaul` command with everything it needs into packages/cli/bundle, so that the published package has no dependencies:
 * an install is small, works under every layout of node_modules, and loads a few files instead of some 400 modules.
 *
 * Modules that look for files beside themselves (`import.meta.url`) keep their place: one of package X sees the path
 * `bundle/lib/X/dist/…`, whichever chunk its code is in; one of the command itself, its path in this package. Programs that are started by path are entries there, and files that are read
 * by path are copied there.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PACKAGES = join(ROOT, 'packages');
const BUNDLE = join(PACKAGES, 'cli/bundle');

/** Modules that are started or imported by their path. */
const PROGRAMS = [
  'models/dist/tokenizers/tokenizer-worker.js',
  'replay/dist/backtest/worker.js',
  'replay/dist/through-agent/play-script-module.js',
  'scripted-model/dist/process-entry.js',
  'scripted-model/dist/demo/index.js',
];

/** Folders whose files are read by their path. */
const ASSETS = ['replay/src/html', 'scripted-model/src/demo/app', 'models/dist/tokenizers/vocabularies'];

/** Loaded only under Bun, and optional natives that their packages do without. */
const STAYS_OUTSIDE = ['bun:sqlite', 'cpu-features', /\.node$/];

await rm(BUNDLE, { recursive: true, force: true });
const build = await rolldown({
  input: {
    main: join(PACKAGES, 'cli/dist/main.js'),
    ...Object.fromEntries(PROGRAMS.map((path) => [`lib/${path.replace(/\.js$/, '')}`, join(PACKAGES, path)])),
  },
  platform: 'node',
  external: STAYS_OUTSIDE,
  plugins: [keepModuleUrls()],
  // CommonJS modules in an ES module: Docker's client names files beside it that only builds of images need.
  transform: { define: { __dirname: 'import.meta.dirname' } },
  // Static and lazy imports of one module are intended: the first one loads it.
  checks: { ineffectiveDynamicImport: false },
});
const { output } = await build.write({ dir: BUNDLE, format: 'esm', chunkFileNames: '[name]-[hash].js' });
await build.close();
await copyAssets();
await writeLicences(output.filter((file) => file.type === 'chunk'));

/** Replaces `import.meta.url` of this repository's modules by the URL of their place below `lib`. */
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
        const place = path.startsWith('cli/') ? path.replace('cli', '..') : `lib/${path}`;
        if (place === chunk.fileName) return 'import.meta.url';
        const target = posix.relative(posix.dirname(chunk.fileName), place);
        return `new URL(${JSON.stringify(target)}, import.meta.url).href`;
      });
    },
  };
}

async function copyAssets(): Promise<void> {
  for (const folder of ASSETS) {
    await cp(join(PACKAGES, folder), join(BUNDLE, 'lib', folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
  }
}

/** The licences of what the bundle contains of others. */
async function writeLicences(chunks: readonly OutputChunk[]): Promise<void> {
  const roots = new Set(chunks.flatMap(({ moduleIds }) => moduleIds).flatMap(thirdPartyRoot));
  roots.add(thirdPartyRoot(join(ROOT, 'node_modules/gpt-tokenizer/data/x'))[0] ?? '');
  const texts = await Promise.all([...roots].sort().map(licenceOf));
  await writeFile(join(BUNDLE, 'THIRD_PARTY_LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** The folder of the package below the last `node_modules` of a module's path. */
function thirdPartyRoot(id: string): string[] {
  const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replace(/^\0/, ''));
  return match?.[1] === undefined ? [] : [match[1]];
}

async function licenceOf(root: string): Promise<string> {
  const manifest: { name: string; version: string; license?: string } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const file = (await readdir(root)).find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? '' : await readFile(join(root, file), 'utf8');
  return `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})\n\n${text.trim()}\n`;
}

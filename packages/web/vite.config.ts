import { join } from 'node:path';
import { build, defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { compressedCopies } from './build/compressed-copies.ts';

const { LONGHAUL_URL: target = 'http://127.0.0.1:4140' } = process.env;
const proxy = { target, changeOrigin: true, headers: { origin: target } };

/** `vite build` makes the page that the server sends. `vite` serves it from its sources, with the API of a server. */
export default defineConfig({
  root: import.meta.dirname,
  // Behind a proxy, the page can be below a prefix.
  base: './',
  resolve: { conditions: ['longhaul-src', ...defaultClientConditions] },
  plugins: [compressedCopies(), gatewayPage()],
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // The Content-Security-Policy allows no inline scripts and no data: fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    license: { fileName: 'THIRD_PARTY_LICENSES.md' },
    rolldownOptions: {
      // Compressing takes most of the time.
      checks: { pluginTimings: false },
      // What is loaded first is one file: a browser asks for six at a time.
      output: { codeSplitting: { groups: [{ name: firstLoaded, includeDependenciesRecursively: false }] } },
      // "use client" is for servers that render React.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: { proxy: { '/api': proxy, '/blobs': proxy, '/healthz': proxy } },
});

type Modules = { getModuleInfo(id: string): { isEntry: boolean; importers: readonly string[] } | null };

/** Returns `first` for modules that the page imports before it shows anything, however far away. */
function firstLoaded(id: string, modules: Modules): string | null {
  const seen = new Set([id]);
  for (const each of seen) {
    const found = modules.getModuleInfo(each);
    if (found?.isEntry === true) return 'first';
    for (const importer of found?.importers ?? []) seen.add(importer);
  }
  return null;
}

/** Builds the page of the gateway into a folder of this one, which a build empties first. */
function gatewayPage(): Plugin {
  return {
    name: 'gateway-page',
    apply: 'build',
    async closeBundle() {
      await build({ configFile: join(import.meta.dirname, 'gateway/vite.config.ts'), logLevel: 'error' });
    },
  };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { compressedCopies } from '../build/compressed-copies.ts';

const { LONGHAUL_GATEWAY_URL: target = 'http://127.0.0.1:4141' } = process.env;

/** For the page of the gateway. The build of the other page also builds this one, into a folder of its own. */
export default defineConfig({
  root: import.meta.dirname,
  // Behind a proxy, the page can be below a prefix.
  base: './',
  publicDir: false,
  resolve: { conditions: ['longhaul-src', ...defaultClientConditions] },
  plugins: [themeScript(), compressedCopies()],
  build: {
    target: 'es2023',
    outDir: '../dist/gateway',
    emptyOutDir: true,
    // The Content-Security-Policy allows no inline scripts and no data: fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'THIRD_PARTY_LICENSES.md' },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // "use client" is for servers that render React.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: { proxy: { '/page': { target, changeOrigin: true, headers: { origin: target } } } },
});

/** Of the public files of the other page, only this one is used. */
function themeScript(): Plugin {
  return {
    name: 'theme-script',
    apply: 'build',
    async generateBundle() {
      const source = await readFile(join(import.meta.dirname, '../public/theme.js'));
      this.emitFile({ type: 'asset', fileName: 'theme.js', source });
    },
  };
}

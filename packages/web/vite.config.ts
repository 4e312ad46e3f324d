import { defaultClientConditions, defineConfig } from 'vite';

const { LONGHAUL_URL: target = 'http://127.0.0.1:4140' } = process.env;
const proxy = { target, changeOrigin: true, headers: { origin: target } };

/** `vite build` makes the page that the server sends. `vite` serves it from its sources, with the API of a server. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ['longhaul-src', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // The Content-Security-Policy allows no inline scripts and no data: fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" is for servers that render React.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: { proxy: { '/api': proxy, '/blobs': proxy } },
});

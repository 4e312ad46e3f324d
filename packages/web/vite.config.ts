import { defaultClientConditions, defineConfig } from 'vite';

const { LONGHAUL_URL: target = 'http://127.0.0.1:4140' } = process.env;

/** `vite build` makes the page that the server sends. `vite` serves it from the sources, with the API of a server. */
export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ['longhaul-src', ...defaultClientConditions] },
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0, reportCompressedSize: false },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/blobs'].map((path) => [path, { target, changeOrigin: true, headers: { origin: target } }]),
    ),
  },
});

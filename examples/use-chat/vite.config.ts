import { defineConfig } from 'vite';

const { LONGHAUL_URL: target = 'http://127.0.0.1:4140', LONGHAUL_TOKEN: token = '' } = process.env;

const proxy = { target, changeOrigin: true, headers: { authorization: `Bearer ${token}`, origin: target } };

/**
 * Serves the page and the agent at one address. The proxy adds the token, because a page with the token could do
 * whatever the agent can. In production, use your own back end instead, with access control for your users.
 */
export default defineConfig({
  root: import.meta.dirname,
  server: { proxy: { '/api': proxy, '/blobs': proxy } },
});

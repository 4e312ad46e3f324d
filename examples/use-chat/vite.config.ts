import { defineConfig } from 'vite';

const { LONGHAUL_URL: target = 'http://127.0.0.1:4140', LONGHAUL_TOKEN: token = '' } = process.env;

const proxy = { target, changeOrigin: true, headers: { authorization: `Bearer ${token}`, origin: target } };

/**
 * The page and the agent under one address. The token stays here: a page that has it may do whatever the agent can. In production, a back end
 * of one's own stands in this place, and lets in those who may.
 */
export default defineConfig({
  root: import.meta.dirname,
  server: { proxy: { '/api': proxy, '/blobs': proxy } },
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bundleForBrowser, findBun, findChromium, findNode20, lacks } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { runSession } from './session-script.ts';

const SCRIPT = fileURLToPath(new URL('./session-script.ts', import.meta.url));
const ENTRIES = [
  ['@longhaul/context', fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
  ['@longhaul/context/engine', fileURLToPath(new URL('../../src/engine.ts', import.meta.url))],
] as const;
const MAX_GZIP_BYTES = 60_000;

const run = promisify(execFile);

describe('the engine without Node', () => {
  it.each(ENTRIES)('%s bundles for a browser without imports, under 60 kB gzipped', async (name, entry) => {
    const bundle = await bundleForBrowser(entry);
    const bytes = gzipSync(bundle.code, { level: 9 }).length;
    console.log(`${name}: ${bundle.code.length} bytes minified, ${bytes} gzipped`);
    // A module that is imported on demand is part of the one script, which then names itself.
    const imports = [...bundle.imports, ...bundle.dynamicImports].filter((name) => name !== bundle.fileName);
    expect(imports).toEqual([]);
    expect(bundle.code).not.toMatch(/\bimport\s*[("'`]/);
    expect(bundle.code).not.toMatch(/["']node:/);
    expect(bytes).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('runs under Bun as under Node', async ({ skip }) => {
    const bun = await findBun();
    if (bun === undefined) return lacks('bun', 'no Bun that runs was found', skip);
    const { stdout } = await run(bun, ['--conditions=longhaul-src', SCRIPT]);
    expect(stdout.trim()).toBe(await runSession());
  });

  it('runs under Node.js 20', async ({ skip }) => {
    const node = await findNode20();
    if (node === undefined) return lacks('node20', 'there is no Node.js 20 on the PATH', skip);
    const { code } = await bundleForBrowser(SCRIPT);
    const running = run(node, ['-']);
    running.child.stdin?.end(`${code}\nScript.runSession().then(console.log);`);
    expect((await running).stdout.trim()).toBe(await runSession());
  });

  it('runs in a browser as under Node', { timeout: 120_000 }, async ({ skip }) => {
    const chromium = await findChromium();
    if (chromium === undefined) return lacks('chromium', 'no Chromium that runs was found', skip);
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-browser-'));
    try {
      const { code } = await bundleForBrowser(SCRIPT);
      const show = 'Script.runSession().then((text) => { document.body.textContent = text; });';
      const page = `<!doctype html><body>waiting<script>${code}\n${show}</script></body>`;
      await writeFile(join(folder, 'page.html'), page);
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/profile`];
      const { stdout } = await run(chromium, [...flags, '--dump-dom', `file://${folder}/page.html`]);
      expect(stdout).toContain(await runSession());
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});

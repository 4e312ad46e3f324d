import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { runSession } from './session-script.ts';

const SCRIPT = fileURLToPath(new URL('./session-script.ts', import.meta.url));
const INDEX = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
const MAX_GZIP_BYTES = 60_000;

const run = promisify(execFile);

describe('the engine alone, of which nothing belongs to Node', () => {
  it('bundles for a browser without an import, under 60 kB gzipped', async () => {
    const bundle = await bundleForBrowser(INDEX);
    const bytes = gzipSync(bundle.code, { level: 9 }).length;
    console.log(`@longhaul/context: ${bundle.code.length} bytes minified, ${bytes} gzipped`);
    expect([...bundle.imports, ...bundle.dynamicImports]).toEqual([]);
    expect(bundle.code).not.toMatch(/["']node:/);
    expect(bytes).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('runs under Bun as it does under Node', async ({ skip }) => {
    const bun = await firstThatRuns([
      `${MODULES}@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}/bin/bun`,
      `${MODULES}.bin/bun`,
      'bun',
    ]);
    if (bun === undefined) return lacks('bun', 'no Bun that runs was found', skip);
    const { stdout } = await run(bun, ['--conditions=longhaul-src', SCRIPT]);
    expect(stdout.trim()).toBe(await runSession());
  });

  it('runs in a browser as it does under Node', { timeout: 120_000 }, async ({ skip }) => {
    const chromium = await firstThatRuns(['chromium', 'chromium-browser', 'google-chrome']);
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

async function bundleForBrowser(input: string): Promise<OutputChunk> {
  await using build = await rolldown({
    input,
    platform: 'browser',
    // Only a script that is run by itself asks for it.
    transform: { define: { 'import.meta': '{}' } },
    resolve: { conditionNames: ['longhaul-src', 'import', 'browser', 'default'] },
  });
  const { output } = await build.generate({ format: 'iife', name: 'Script', minify: true });
  return output[0];
}

async function firstThatRuns(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    if (program.includes('/') && !existsSync(program)) continue;
    const works = await run(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (works) return program;
  }
  return undefined;
}

/** Skips with the reason, unless `LONGHAUL_REQUIRE` names the thing: then the test fails. */
function lacks(thing: string, reason: string, skip: (reason: string) => void): void {
  const required = (process.env['LONGHAUL_REQUIRE'] ?? '').split(',').includes(thing);
  if (required) throw new Error(`LONGHAUL_REQUIRE names ${thing}, but ${reason}`);
  skip(reason);
}

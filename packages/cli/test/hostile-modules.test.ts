import { spawnSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Bench } from './harness.ts';
import { HostileProject } from './hostile-project.ts';

let hostile: HostileProject;
let bench: Bench;
let service: string;
let flags: string[];

/** The project is the folder `svc` of a repository. */
beforeEach(async () => {
  hostile = await HostileProject.open();
  bench = hostile.bench;
  service = join(bench.workspace, 'svc');
  for (const folder of ['.git', 'svc', 'lib']) await mkdir(join(bench.workspace, folder));
  ({ flags } = await bench.serve({ script: () => 'Hello.' }));
  await write('svc/longhaul.yml', JSON.stringify({ context: { compression: { strategy: './own.mjs' } } }));
});
afterEach(() => hostile[Symbol.asyncDispose]());

const write = (path: string, text: string) => writeFile(join(bench.workspace, path), text);
const trust = (flag: string) => bench.call(['trust', service, flag]);
const EVIL = "import '../evil.mjs'; export const share = 0.7;";

/** A strategy that tries to load something in each of these ways, and reports why it could not. */
function trying(ways: readonly string[]): string {
  return `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const refusals = [];
${ways.map((way) => `try { ${way} } catch (error) { refusals.push(error.message); }`).join('\n')}
export function createStrategy() { throw new Error(JSON.stringify({ refusals })); }`;
}

/** Its own process: the guard stays until the process ends. */
const run = () => bench.run(['run', 'Go', '-q', '-C', service, '--sandbox', 'local', ...flags]);

async function refusals(): Promise<number> {
  const { stderr } = await run();
  return stderr.match(/is not among the trusted files of the project/g)?.length ?? 0;
}

describe('a module whose trust is asked for', () => {
  it.each([
    ['by a relative path', "import { share } from '../lib/share.mjs';", async () => {}],
    [
      'by a link',
      "import { share } from './link.mjs';",
      () => symlink('../lib/share.mjs', join(service, 'link.mjs')),
    ],
    [
      'by a linked folder',
      "await import('./linked/share.mjs');",
      () => symlink('../lib', join(service, 'linked')),
    ],
    [
      'in a file that it imports',
      "import './part.mjs';",
      () => write('svc/part.mjs', "import '../lib/share.mjs';"),
    ],
  ])('is refused if it imports a file outside of the folder of longhaul.yml %s', async (_, text, prepare) => {
    await write('lib/share.mjs', EVIL);
    await prepare();
    await write('svc/own.mjs', `${text} export function createStrategy() {}`);
    const { stdout } = await trust('--yes');
    expect(stdout).toMatch(/\(refused: \.\/own\.mjs imports [^)]*, which is outside of the project\)/);
    expect((await trust('--show')).stdout).not.toContain('(trusted)');
    expect(hostile.hasRun).toBe(false);
  });
});

describe('a trusted module', () => {
  it('cannot load a file of its repository outside of the folder of longhaul.yml, in any way', async () => {
    const ways = [
      "await import(['../lib', 'share.mjs'].join('/'));",
      "await import(new URL('../lib/share.mjs', import.meta.url).href);",
      "require('../lib/share.cjs');",
      "await import(['./later', 'mjs'].join('.'));",
      "await import('helper');",
      "require('helper');",
      "await import('data:text/javascript,import ' + JSON.stringify(new URL('../lib/share.mjs', import.meta.url).href));",
      "createRequire('/tmp/x.js')(new URL('../lib/share.cjs', import.meta.url).pathname.replaceAll('%20', ' '));",
    ];
    await write('svc/own.mjs', trying(ways));
    await trust('--yes');
    await write('lib/share.mjs', EVIL);
    await write('lib/share.cjs', "require('../evil.mjs');");
    await symlink('../lib/share.mjs', join(service, 'later.mjs'));
    await mkdir(join(bench.workspace, 'node_modules', 'helper'), { recursive: true });
    await write('node_modules/helper/package.json', '{ "main": "index.js" }');
    await write('node_modules/helper/index.js', "require('../../evil.mjs');");
    expect(await refusals()).toBe(ways.length);
    expect(hostile.hasRun).toBe(false);
  });

  it('cannot load files and packages above, if no repository shows that they belong together', async () => {
    await rm(join(bench.workspace, '.git'), { recursive: true });
    const ways = ["await import(['../lib', 'share.mjs'].join('/'));", "await import('helper');"];
    await write('svc/own.mjs', trying(ways));
    await trust('--yes');
    await write('lib/share.mjs', EVIL);
    await mkdir(join(bench.workspace, 'node_modules', 'helper'), { recursive: true });
    await write('node_modules/helper/index.js', "require('../../evil.mjs');");
    expect(await refusals()).toBe(ways.length);
    expect(hostile.hasRun).toBe(false);
  });

  it.skipIf(spawnSync('cc', ['--version']).error !== undefined)(
    'cannot load compiled code of the workspace',
    async () => {
      const ways = [
        "require('./tuned');",
        "require('../lib/tuned.node');",
        "process.dlopen({ exports: {} }, new URL('./tuned.node', import.meta.url).pathname.replaceAll('%20', ' '));",
        "process.dlopen({ exports: {} }, './svc/tuned.node');",
      ];
      await write('svc/own.mjs', trying(ways));
      await trust('--yes');
      await write('lib/tuned.c', compiled(join(bench.root, 'ran')));
      const library = join(bench.workspace, 'lib', 'tuned.node');
      expect(
        spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(bench.workspace, 'lib', 'tuned.c')]).status,
      ).toBe(0);
      await symlink('../lib/tuned.node', join(service, 'tuned.node'));
      expect(await refusals()).toBe(ways.length);
      expect(hostile.hasRun).toBe(false);
    },
  );

  it('can load modules of Node.js, and its own files', async () => {
    await write('svc/part.ts', 'export const share: number = 0.7;');
    await write(
      'svc/own.mjs',
      `import { readFileSync } from 'node:fs';
import { share } from './part.ts';
export function createStrategy() { throw new Error(['loaded', typeof readFileSync, share].join(' ')); }`,
    );
    await trust('--yes');
    expect((await run()).stderr).toContain('loaded function 0.7');
  });
});

/** Code that runs when the library is loaded. */
function compiled(marker: string): string {
  return `#include <stdio.h>
__attribute__((constructor)) static void run(void) { fclose(fopen(${JSON.stringify(marker)}, "w")); }`;
}

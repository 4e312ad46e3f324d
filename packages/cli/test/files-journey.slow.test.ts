import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const GIT = 'git -c user.name=x -c user.email=x@x';
const PROJECT = [
  'git init -q -b main',
  `printf 'node_modules/\\nbuild/\\n*.log\\n' > .gitignore`,
  `echo '{ "name": "project", "version": "1.0.0" }' > package.json`,
  'mkdir -p src bin docs build && echo built > build/out && echo SECRET=1 > .env',
  `echo 'export const a = 1;' > src/a.js && seq 300 > docs/numbers.txt && ln -s src/a.js link`,
  `printf '#!/bin/sh\\n' > bin/hi && chmod 755 bin/hi && head -c 100000 /dev/urandom > bin/blob`,
  `${GIT} add -A && ${GIT} commit -qm first`,
];
const INSTALL = 'npm install --offline --no-audit --no-fund';
const FIRST_STEPS = [
  `echo 'export const b = 2;' > src/b.js`,
  `sed -i 's/1/10/' src/a.js; echo x > run.log`,
  `${INSTALL} ../packages/one-1.0.0.tgz`,
  'mkdir -p src/deep/er; for i in $(seq 20); do echo $i > src/deep/er/f$i; done',
  'git mv bin/hi bin/hello; chmod 700 bin/hello',
  'rm link; ln -s docs/numbers.txt link; ln -s nowhere dangling',
  `printf 'new\\n' > $'na\\nme'; printf bad > $'inv\\xffalid'; echo ü > 'ü ✓.txt'`,
  'head -c 50000 /dev/urandom > bin/blob; echo SECRET=2 > .env; echo again > build/out',
  `sed -i '100,200d' docs/numbers.txt; ${GIT} commit -qam work`,
  'rm -rf src/deep; echo file > src/deep',
  'rm src/b.js; mkdir src/b.js; echo q > src/b.js/q',
  `${INSTALL} ../packages/two-1.0.0.tgz`,
  'mv docs papers; echo more >> papers/numbers.txt',
  'head -c 2000000 /dev/zero > large.bin',
  'mkdir empty; chmod 750 empty; touch zero',
  'chmod 600 src/a.js; echo KEY > key.pem',
  'cp -r src copy',
  'for i in $(seq 200); do echo "file $i" > papers/p$i.md; done',
  `rm $'na\\nme'; mv $'inv\\xffalid' $'inv\\xfealid'`,
  `git checkout -q -b feature; echo feature > feature.txt; ${GIT} add -A; ${GIT} commit -qm feature`,
];
const LAST_STEPS = [
  'npm uninstall --offline one',
  'git checkout -qf main',
  'git checkout -qf feature',
  'rm -rf papers copy empty',
  'mkfifo pipe; echo SECRET=3 > .env; echo late > build/late',
];
const COUNT = 40;
const STEPS = [
  ...FIRST_STEPS,
  ...Array.from(
    { length: COUNT - FIRST_STEPS.length - LAST_STEPS.length },
    (_, index) => `echo ${index} >> src/a.js; echo ${index} > src/n${index}; rm -f src/n${index - 3}`,
  ),
  ...LAST_STEPS,
];

/** Ignored, secret, too large, or no file. */
const LEFT = /^(node_modules|\.git|build|\.env|key\.pem|large\.bin|pipe)(\/|$)|\.log$/;

/** Everything in a folder that is recorded, or everything else. Names are byte strings. */
function snapshot(folder: string, which: 'recorded' | 'left'): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string) => {
    for (const name of readdirSync(Buffer.from(`${folder}/${path}`, 'latin1'), 'latin1')) {
      const below = path + name;
      const full = Buffer.from(`${folder}/${below}`, 'latin1');
      const info = lstatSync(full);
      const entry = info.isDirectory()
        ? ''
        : info.isSymbolicLink()
          ? readlinkSync(full, 'latin1')
          : info.isFile()
            ? readFileSync(full, 'latin1')
            : 'special';
      if (LEFT.test(below) === (which === 'left')) found[below] = `${info.mode.toString(8)} ${entry}`;
      if (info.isDirectory()) visit(`${below}/`);
    }
  };
  visit('');
  return found;
}

function shell(folder: string, command: string): string {
  return execFileSync('bash', ['-ec', command], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Packages that npm can install without a network. */
function packPackages(folder: string): void {
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'package.json'), `{ "name": "${name}", "version": "1.0.0" }`);
    shell(folder, `npm pack --offline --silent ./${name}`);
  }
}

/** A session of 40 steps in a git project. After each step, the workspace is copied by hand. */
async function worked(bench: Bench): Promise<{ copyAfter: (step: number) => string }> {
  const { workspace, root } = bench;
  packPackages(join(root, 'packages'));
  writeFileSync(bench.userFile, 'files: { maxFileMb: 1 }\n');
  shell(workspace, PROJECT.join('\n'));
  const copyAfter = (step: number) => join(root, `after ${step}`);
  const { flags } = await bench.serve({
    windowTokens: 64_000,
    script: ({ number }) => {
      execFileSync('cp', ['-a', workspace, copyAfter(number - 1)]);
      const command = STEPS[number - 1];
      return command === undefined
        ? 'Done.'
        : { text: `Step ${number}.`, toolCalls: [{ name: 'bash', arguments: { command } }] };
    },
  });
  const ended = await bench.run(['run', 'Work', '--sandbox', 'local', '--max-steps', '60', ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(readdirSync(join(workspace, 'node_modules'))).toContain('two');
  return { copyAfter };
}

it('reverts, unreverts and forks 40 steps in a git project as if it was copied after each step', async () => {
  await using bench = await Bench.open();
  const { copyAfter } = await worked(bench);
  const { workspace, root } = bench;
  const left = snapshot(workspace, 'left');
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await bench.call(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const check = (folder: string, step: number) =>
    expect(snapshot(folder, 'recorded')).toEqual(snapshot(copyAfter(step), 'recorded'));

  // m1 is the task, so step 10 is m11.
  await command('revert', 'last', 'm11', '--preview');
  check(workspace, COUNT);
  await command('revert', 'last', 'm11');
  check(workspace, 9);
  expect(await command('revert', 'last', 'm11')).toContain('Nothing was restored.');
  await command('unrevert', 'last');
  check(workspace, COUNT);

  const changes = await command('diff', 'last');
  const applied = join(root, 'applied');
  execFileSync('cp', ['-a', copyAfter(0), applied]);
  execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: applied, input: changes });
  const filesOf = (folder: string) => Object.keys(withoutFolders(snapshot(folder, 'recorded'))).sort();
  expect(filesOf(applied)).toEqual(filesOf(workspace));

  const fork = join(root, 'fork');
  await command('fork', 'last', '--at', 'm21', '--files', fork);
  check(fork, 20);
  expect(snapshot(fork, 'left')).toEqual({});
  check(workspace, COUNT);
  expect(snapshot(workspace, 'left')).toEqual(left);

  const worktree = join(root, 'worktree');
  await command('fork', 'last', '--at', 'm21', '--files', worktree, '--worktree');
  check(worktree, 20);
  expect(shell(worktree, 'git log --format=%s')).toBe('first');
}, 600_000);

/** A folder has no text after its mode. */
function withoutFolders(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([, text]) => !/^4\d+ $/.test(text)));
}

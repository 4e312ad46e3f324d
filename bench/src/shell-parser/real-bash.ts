import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ALLOWED, FORBIDDEN } from './random-lines.ts';

/** What bash does with a line. */
export interface Truth {
  /** The programs that it starts. */
  programs: ReadonlySet<string>;
  isValid: boolean;
  /** Whether it creates a file. */
  writesFiles: boolean;
}

/**
 * Runs each line in bash, in bubblewrap without a network, and returns what happened. All programs are stubs that write
 * down their names. Each line is run three times, with other calls that fail.
 */
export async function runInBash(lines: readonly string[]): Promise<Truth[]> {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-shell-'));
  try {
    await prepare(root, lines);
    const isolation = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', root, root];
    await promisify(execFile)(
      'bwrap',
      [
        ...isolation,
        '--unshare-all',
        '--die-with-parent',
        '--clearenv',
        'bash',
        '--norc',
        join(root, 'drive.sh'),
      ],
      { cwd: root, maxBuffer: 64 * 1024 * 1024 },
    );
    return await Promise.all(lines.map((_, index) => readTruth(root, index)));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function prepare(root: string, lines: readonly string[]): Promise<void> {
  for (const folder of ['stubs', 'lines', 'work']) await mkdir(join(root, folder));
  for (const name of [...ALLOWED, ...FORBIDDEN])
    await writeFile(join(root, 'stubs', name), stub(root, name), { mode: 0o755 });
  await Promise.all(lines.map((line, index) => writeFile(join(root, 'lines', String(index)), line)));
  await writeFile(join(root, 'drive.sh'), driver(root, lines.length));
}

/** Every third call fails, so both sides of a condition are taken, and no loop is endless. */
function stub(root: string, name: string): string {
  return `#!/bin/sh
read -r count < '${root}/count'
count=$((count + 1))
echo $count > '${root}/count'
echo ${name} >> "$LOG"
exit $((count % 3 == 0))
`;
}

function driver(root: string, count: number): string {
  return `ulimit -u 2000 -f 1000
for ((index = 0; index < ${count}; index++)); do
  mkdir "${root}/work/$index"; cd "${root}/work/$index"
  line=$(cat "${root}/lines/$index"; echo .)
  line=\${line%.}
  bash --norc -n -c "$line" > /dev/null 2>&1 && : > "${root}/lines/$index.valid"
  for start in 0 1 2; do
    echo $start > '${root}/count'
    timeout -s KILL 0.5 env -i PATH='${root}/stubs' LOG="${root}/lines/$index.log" \\
      /bin/bash --norc -c "$line" < /dev/null > /dev/null 2>&1
  done
  created=$(echo *)
  [ "$created" = '*' ] || : > "${root}/lines/$index.wrote"
done 2> /dev/null
`;
}

async function readTruth(root: string, index: number): Promise<Truth> {
  const read = (end: string) =>
    readFile(join(root, 'lines', `${index}.${end}`), 'utf8').catch(() => undefined);
  const [log, valid, wrote] = await Promise.all([read('log'), read('valid'), read('wrote')]);
  return {
    programs: new Set((log ?? '').split('\n').filter((name) => name !== '')),
    isValid: valid !== undefined,
    writesFiles: wrote !== undefined,
  };
}

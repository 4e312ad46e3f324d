import { execFile, spawn } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

export interface EmptyRoot {
  /** Outside: `/home` and `/work` inside. */
  home: string;
  work: string;
  start(args: readonly string[]): Started;
}

export interface Started {
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Resolves to the first match in its output. */
  saw(pattern: RegExp): Promise<string>;
  stop(): void;
}

/** A system that contains a program, the C library, and nothing else: no shell, no other program, no certificates. */
export async function openEmptyRoot(program: string, folder: string): Promise<EmptyRoot> {
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  for (const each of [home, work]) await mkdir(each, { recursive: true });
  const libraries = await librariesOf(program);
  const layout = [
    ...['--unshare-all', '--share-net', '--die-with-parent', '--new-session', '--tmpfs', '/', '--clearenv'],
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--bind',
      home,
      '/home',
      '--bind',
      work,
      '/work',
    ],
    ...libraries.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ...['--ro-bind', program, '/longhaul', '--setenv', 'HOME', '/home', '--chdir', '/work'],
  ];
  return { home, work, start: (args) => start([...layout, '--', '/longhaul', ...args]) };
}

async function librariesOf(program: string): Promise<{ from: string; to: string }[]> {
  const { stdout } = await promisify(execFile)('ldd', [program]);
  const paths = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  return Promise.all(paths.map(async (to) => ({ from: await realpath(to), to })));
}

function start(args: readonly string[]): Started {
  const child = spawn('bwrap', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const seen = new EventTarget();
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    seen.dispatchEvent(new Event('data'));
  });
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).then(async (code) => {
    const [stdout, stderr] = await outputs;
    return { code, stdout, stderr };
  });
  return {
    ended,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const [found] = pattern.exec(output) ?? [];
          if (found !== undefined) resolve(found);
        };
        seen.addEventListener('data', look);
        ended.then(
          ({ stderr }) => reject(new Error(`It ended without ${pattern}: ${output}${stderr}`)),
          reject,
        );
        look();
      }),
    stop: () => {
      child.kill('SIGTERM');
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WorkspaceFiles } from '@longhaul/core';
import { sanitizeText } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import {
  badPattern,
  expandInclude,
  type FindLinesRequest,
  type FoundLine,
  MAX_FOUND_LINE_CHARS,
  type WorkspaceSearch,
} from './workspace-search.ts';

/** Whether the program can be run. Does not throw. */
export async function hasRipgrep(program: string): Promise<boolean> {
  const child = spawn(program, ['--version'], { stdio: 'ignore', env: environment() });
  try {
    const [code] = await once(child, 'close');
    return code === 0;
  } catch {
    return false;
  }
}

/**
 * Searches with ripgrep, run on this machine as a plain process without a shell. Only the workspace's own ignore files count:
 * neither those of the folders above it nor the user's.
 */
export function createRipgrepSearch(program: string): WorkspaceSearch {
  return {
    async *listFiles(files, { path, signal }) {
      const args = ['--files', ...(await commonArguments(files, path))];
      yield* listed(runRipgrep(program, { args, path, root: files.root, signal }));
    },
    async *findLines(files, request) {
      const args = [...lineArguments(request), ...(await commonArguments(files, request.path))];
      yield* parseLines(
        runRipgrep(program, { args, path: request.path, root: files.root, signal: request.signal }),
      );
    },
  };
}

async function commonArguments(files: WorkspaceFiles, path: string): Promise<string[]> {
  return [
    ...['--no-config', '--no-follow', '--hidden', '--null', '--sort=path', '--color=never', '--no-messages'],
    ...['--no-require-git', '--no-ignore-parent', '--no-ignore-global'],
    // Without its parents, a search below the root would forget the root's own ignore file.
    ...(path !== '' && (await isFile(files, '.gitignore')) ? ['--ignore-file=.gitignore'] : []),
    ...['--glob=!.git', '--glob=!node_modules'],
  ];
}

async function isFile(files: WorkspaceFiles, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.kind === 'file';
  } catch (thrown) {
    // A link that leaves the workspace is not read.
    if (thrown instanceof LonghaulError) return false;
    throw thrown;
  }
}

function lineArguments({ pattern, include, path, ignoreCase, contextLines }: FindLinesRequest): string[] {
  return [
    ...['--no-heading', '--with-filename', '--line-number', '--no-context-separator'],
    ...[`--max-columns=${MAX_FOUND_LINE_CHARS}`, '--max-columns-preview'],
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(contextLines > 0 ? [`--context=${contextLines}`] : []),
    ...(include === undefined ? [] : expandInclude(include, path).map((glob) => `--glob=${glob}`)),
    `--regexp=${pattern}`,
  ];
}

interface RipgrepRun {
  args: string[];
  path: string;
  root: string;
  signal: AbortSignal;
}

/** The program's output as it comes. Leaving the loop early kills it. */
async function* runRipgrep(
  program: string,
  { args, path, root, signal }: RipgrepRun,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const child = spawn(program, [...args, '--', path === '' ? '.' : path], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const closed = once(child, 'close');
  // Awaited below; without this an early failure would count as unhandled.
  closed.catch(() => undefined);
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, 2_000);
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let isEmpty = true;
  try {
    for await (const chunk of child.stdout) {
      isEmpty = false;
      yield chunk;
    }
    const [code] = await closed;
    signal.throwIfAborted();
    // 1: nothing found. 2 after some output: a file could not be read, which is passed over.
    if (code === 2 && isEmpty && complaint !== '')
      throw new LonghaulError('invalid_request', explain(complaint));
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    await closed;
  }
}

function explain(complaint: string): string {
  const text = complaint.trim();
  return /regex|pattern|literal/i.test(text) ? badPattern(text) : text;
}

async function* listed(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending = Buffer.alloc(0);
  for await (const chunk of output) {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(0); end !== -1; end = pending.indexOf(0)) {
      yield withoutDot(pending.subarray(0, end).toString());
      pending = pending.subarray(end + 1);
    }
  }
}

/**
 * Records are `path NUL number : text LF`, with `-` for `:` on lines of context. A path may hold a line feed, a text cannot,
 * and neither holds a NUL, so that reading them in turn is unambiguous.
 */
async function* parseLines(output: AsyncIterable<Buffer>): AsyncGenerator<FoundLine> {
  let pending = Buffer.alloc(0);
  for await (const chunk of output) {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const pathEnd = pending.indexOf(0);
      const lineEnd = pathEnd === -1 ? -1 : pending.indexOf(0x0a, pathEnd);
      if (lineEnd === -1) break;
      const path = withoutDot(pending.subarray(0, pathEnd).toString());
      const record = /^(\d+)([:-])(.*)$/s.exec(pending.subarray(pathEnd + 1, lineEnd).toString());
      pending = pending.subarray(lineEnd + 1);
      if (record === null) continue;
      const [, line, mark, text = ''] = record;
      yield { path, line: Number(line), isMatch: mark === ':', text: sanitizeText(text.replace(/\r$/, '')) };
    }
  }
}

function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}

/** No more of this process's environment than the program needs: it holds keys. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };
}

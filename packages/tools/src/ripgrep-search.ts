import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WorkspaceFiles } from '@longhaul/core';
import { sanitizeText } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import { linesInside } from './workspace-lines.ts';
import {
  badPattern,
  expandInclude,
  type FindLinesRequest,
  type FoundLine,
  MAX_FOUND_LINE_CHARS,
  type WorkspaceSearch,
} from './workspace-search.ts';

/** Whether the program can be run. Never throws. */
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
 * Creates a search with ripgrep, which runs on this machine as a plain process without a shell. Only the workspace's
 * ignore files count: not those of the folders above it, nor the user's.
 */
export function createRipgrepSearch(program: string): WorkspaceSearch {
  return {
    async *listFiles(files, { path, signal }) {
      const args = ['--files', ...(await commonArguments(files, path))];
      yield* listed(runRipgrep(program, { args, path, root: files.root, signal }));
    },
    async *findLines(files, request) {
      const args = [...lineArguments(request), ...(await commonArguments(files, request.path))];
      const output = runRipgrep(program, {
        args,
        path: request.path,
        root: files.root,
        signal: request.signal,
      });
      yield* linesInside(files, parseLines(output));
    },
  };
}

async function commonArguments(files: WorkspaceFiles, path: string): Promise<string[]> {
  return [
    ...['--no-config', '--no-follow', '--hidden', '--null', '--sort=path', '--color=never', '--no-messages'],
    ...['--no-require-git', '--no-ignore-parent', '--no-ignore-global'],
    // `--no-ignore-parent` also drops the root's ignore file for a search below the root.
    ...(path !== '' && (await isFile(files, '.gitignore')) ? ['--ignore-file=.gitignore'] : []),
    ...['--glob=!.git', '--glob=!node_modules'],
  ];
}

async function isFile(files: WorkspaceFiles, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.kind === 'file';
  } catch (thrown) {
    // A link that leads out of the workspace is not read.
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

/** Yields the program's output as it arrives. Leaving the loop early kills the program. */
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
  // Awaited below. Without this line, an early failure would be an unhandled rejection.
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
    // Exit code 1: nothing found. 2 after some output: a file could not be read, and is skipped.
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
 * Parses records of the form `path NUL number : text LF`, with `-` in place of `:` on context lines. A path may contain
 * a line feed, a text cannot, and neither contains a NUL, so reading them in turn is unambiguous.
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

/** Returns only the variables that the program needs: this process's environment contains keys. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };
}

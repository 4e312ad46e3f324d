import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Tool, ToolContext } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { createSandboxDriver } from '@longhaul/sandbox';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { createTools } from '@longhaul/tools';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { COMMON_WORD, fillTree, RARE_WORD } from './search/fill-tree.ts';

const ROUNDS = 9;

/** The sandbox is opened for its files only. No command runs in it. */
const LIMITS = {
  sessionId: 'bench',
  network: 'off',
  memoryMb: 1_024,
  pids: 100,
  cpus: 1,
  env: {},
  image: '',
  programFolders: [],
} as const;

interface Case {
  key: string;
  label: string;
  tool: 'glob' | 'grep';
  pattern: string;
  /** Arguments of ripgrep. */
  peer: readonly string[];
  /** Lines of ripgrep's output that the tool must find too. */
  isFound: (line: string) => boolean;
  /** Each call is the first of its tool, which looks for ripgrep and for ignore files. */
  isFirst?: boolean;
}

const GLOB = {
  tool: 'glob',
  pattern: '**/*.test.ts',
  peer: ['--files'],
  isFound: (line: string) => line.endsWith('.test.ts'),
} as const;

const CASES: readonly Case[] = [
  { key: 'glob', label: 'glob, 480 files match', ...GLOB },
  { key: 'firstGlob', label: 'the same, first call', ...GLOB, isFirst: true },
  { key: 'rareGrep', label: 'grep, a match in 1 % of the files', ...grepFor(RARE_WORD) },
  { key: 'commonGrep', label: 'grep, a match in every file', ...grepFor(COMMON_WORD) },
];

function grepFor(word: string) {
  return { tool: 'grep', pattern: word, peer: [word], isFound: () => true } as const;
}

/**
 * Compares the tools `grep` and `glob` with plain ripgrep, which is started and read the same way. The tools sort by
 * path, for which ripgrep uses one thread, so ripgrep is also measured with `--sort=path`. All sides alternate. The
 * benchmark fails if a tool does not find what ripgrep finds.
 */
export async function benchSearch(): Promise<BenchResult> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-bench-')));
  try {
    await fillTree(root);
    await using sandbox = await createSandboxDriver('local').open({ ...LIMITS, workspace: root });
    const context = contextOf(sandbox);
    const result: BenchResult = { name: 'search', rows: [], summary: {} };
    for (const search of CASES) await measure(search, { root, context, result });
    return result;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function measure(
  search: Case,
  { root, context, result }: { root: string; context: ToolContext; result: BenchResult },
): Promise<void> {
  const times: Record<'tool' | 'plain' | 'sorted', number[]> = { tool: [], plain: [], sorted: [] };
  let tool = toolNamed(search.tool);
  // The first round is not counted: it warms up code and disk.
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (search.isFirst === true) tool = toolNamed(search.tool);
    const own = await timed(() => callTool(tool, search.pattern, context));
    const plain = await timed(() => runRipgrep(search.peer, root));
    const sorted = await timed(() => runRipgrep(['--sort=path', ...search.peer], root));
    const expected = plain.value.filter(search.isFound).length;
    if (own.value !== expected)
      throw new Error(`${search.label}: the tool found ${own.value}, ripgrep ${expected}.`);
    if (round === 0) continue;
    times.tool.push(own.ms);
    times.plain.push(plain.ms);
    times.sorted.push(sorted.ms);
  }
  const [own, plain, sorted] = [median(times.tool), median(times.plain), median(times.sorted)];
  const ratio = Number((own / plain).toFixed(2));
  const sortedRatio = Number((own / sorted).toFixed(2));
  result.rows.push({
    label: search.label,
    values: { 'tool ms': own, 'rg ms': plain, ratio, 'sorted rg ms': sorted, 'ratio to sorted': sortedRatio },
  });
  result.summary[`${search.key}Ratio`] = ratio;
}

function toolNamed(name: string): Tool {
  const tool = createTools().find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** Returns the number of matches. */
async function callTool(tool: Tool, pattern: string, context: ToolContext): Promise<JsonValue | undefined> {
  const parsed = tool.parse({ pattern });
  if (!parsed.ok) throw new Error(parsed.reason);
  const { metadata } = await tool.execute(parsed.input, context);
  return metadata?.['matches'];
}

/** Returns the lines of ripgrep's output. */
async function runRipgrep(args: readonly string[], cwd: string): Promise<string[]> {
  const child = spawn('rg', ['--no-config', ...args, '.'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`rg exited with code ${code}.`);
  return output.split('\n').slice(0, -1);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

function contextOf(sandbox: ToolContext['sandbox']): ToolContext {
  return {
    sessionId: 'bench',
    callId: 'call',
    handle: 'm1.1',
    sandbox,
    blobs: createMemoryBlobStore(),
    history: { search: async () => [], fullText: async () => undefined },
    todoList: async () => undefined,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
}

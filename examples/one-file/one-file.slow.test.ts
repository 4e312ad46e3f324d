import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import {
  createScriptedModelServer,
  type Script,
  type ScriptedModelServer,
  type ScriptToolCall,
} from '@longhaul/scripted-model';
import { findBun, isRequired, lacks, processesWith } from '@longhaul/testing/machine';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

const AGENT = fileURLToPath(new URL('./index.ts', import.meta.url));
const APP = fileURLToPath(new URL('../../packages/scripted-model/src/demo/app/', import.meta.url));
const FILES = [
  'package.json',
  'src/dates.js',
  'src/sm2.js',
  'src/store.js',
  'src/csv.js',
  'src/commands.js',
  'src/cli.js',
];
const TASK = 'Write a flashcard application\nwith spaced repetition.';
const SUMMARY = `### Original Task
Something else.
### Completed Work
The files are written.
### Key Technical Decisions
Plain JavaScript.
### Current State
All of it works.
### Pending Work
Nothing.
### Errors & Resolutions
None.`;
const DRIVERS = ['bubblewrap', 'docker'] as const;

let bun: string | undefined;
let folder: string;
let server: ScriptedModelServer | undefined;

beforeAll(async () => {
  bun = await findBun();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-one-file-'));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

function requirements(driver: (typeof DRIVERS)[number], skip: (reason: string) => never): void {
  if (bun === undefined) lacks('bun', 'no Bun that runs was found', skip);
  const probe =
    driver === 'docker' ? ['docker', 'image', 'inspect', 'longhaul-test:latest'] : ['bwrap', '--version'];
  if (!isRequired(driver) && !runs(probe)) lacks(driver, `${driver} does not work here`, skip);
}

function runs([program = '', ...args]: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false; // The answer.
  }
}

/** Writes each file of the application, checks and reads it, and looks at all of them at the end. */
const STEPS: readonly ScriptToolCall[] = [
  call('list_directory', { path: '.' }),
  ...FILES.flatMap((path) => [
    call('write_file', { path, content: readFileSync(APP + path, 'utf8') }),
    call('execute_command', { command: `node --check ${path}; wc -c < ${path}` }),
    call('read_file', { path }),
  ]),
  call('execute_command', { command: 'seq 1 9000; echo oops >&2; exit 3' }),
  call('recall', { query: 'spaced repetition' }),
  ...FILES.map((path) => call('execute_command', { command: `cat ${path} ${path}` })),
];

function call(name: string, input: Record<string, string>): ScriptToolCall {
  return { name, arguments: input };
}

/** Plays the steps in order, whatever the messages still show. */
function flashcards(steps = STEPS): Script {
  let next = 0;
  return ({ asksForSummary }) => {
    if (asksForSummary) return SUMMARY;
    const call = steps[next];
    next += 1;
    return call === undefined ? 'The application is complete.' : { text: `Step ${next}.`, toolCalls: [call] };
  };
}

async function serve(script: Script): Promise<ScriptedModelServer> {
  server = await createScriptedModelServer({ script, windowTokens: 16_384 });
  return server;
}

interface Ended {
  code: number | null;
  output: string;
}

function start(env: Record<string, string>, task = TASK): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(bun ?? '', ['--conditions=longhaul-src', 'run', AGENT], {
    cwd: folder,
    env: {
      ...process.env,
      MODEL: 'scripted',
      WINDOW: '16384',
      OPENAI_BASE_URL: server?.url ?? 'http://127.0.0.1:9/v1',
      IMAGE: 'longhaul-test:latest',
      NETWORK: 'none',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  child.stdin.end(task);
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  child.on('close', (code) => resolve({ code, output }));
  return { child, ended };
}

/** The rows of a table, as the documented schema names them. */
function rows(sql: string): Record<string, unknown>[] {
  using database = new DatabaseSync(join(folder, 'agent.db'), { readOnly: true });
  return database.prepare(sql).all();
}

function containers(): string[] {
  const args = [
    'ps',
    '--all',
    '--filter',
    'label=coding-agent.pid',
    '--format',
    '{{.Names}} {{.Label "coding-agent.pid"}}',
  ];
  return execFileSync('docker', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

function containersOf({ pid }: ChildProcess): string[] {
  return containers().filter((line) => line.endsWith(` ${pid}`));
}

describe.each(DRIVERS)('the agent in one file, with %s', (driver) => {
  it('writes the flashcard application in a window of 16k, and stores everything', {
    timeout: 180_000,
  }, async ({ skip }) => {
    requirements(driver, skip);
    const { requests } = await serve(flashcards());
    const { child, ended } = start({ SANDBOX: driver });
    const { code, output } = await ended;
    expect(output).toContain('The application is complete.');
    expect(code).toBe(0);
    expect(output).toMatch(/^> /);
    expect(server?.overflows).toBe(0);
    for (const path of FILES)
      expect(await readFile(join(folder, 'workspace', path), 'utf8')).toBe(
        await readFile(APP + path, 'utf8'),
      );
    expect(rows('SELECT status, task FROM sessions')).toEqual([{ status: 'completed', task: TASK }]);
    const compactions = rows(
      'SELECT round, tokens_before, tokens_after, summary_content FROM compaction_events',
    );
    expect(compactions.length).toBeGreaterThan(1);
    expect(compactions.map(({ round }) => round)).toEqual(compactions.map((_, index) => index + 1));
    for (const { round, tokens_before, tokens_after, summary_content } of compactions) {
      expect(tokens_after).toBeLessThan(Number(tokens_before));
      expect(summary_content).toContain(`## Session Summary (Compaction Round ${round})`);
      expect(summary_content).toContain(`### Original Task\n${TASK}`);
      expect(summary_content).toContain('### Errors & Resolutions');
      expect(output).toContain(`Compaction ${round}: ${tokens_before} → ${tokens_after} tokens.`);
    }
    const messages = rows(
      'SELECT sequence, role, content, token_count, is_compacted FROM messages ORDER BY sequence',
    );
    expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, index) => index));
    expect(messages.map(({ role }) => role).slice(0, 4)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(messages).toHaveLength(2 + 2 * STEPS.length + 1);
    expect(messages.every(({ token_count }) => Number(token_count) > 0)).toBe(true);
    expect(messages[1]).toMatchObject({ is_compacted: 0 });
    expect(messages[2]).toMatchObject({ is_compacted: 1 });
    expect(messages.at(-1)).toMatchObject({ is_compacted: 0 });
    const failed = messages.find(({ content }) => String(content).includes('"exitCode":3'));
    expect(failed?.['content']).toMatch(
      /"stdout":"1\\n2\\n.* characters .*8999\\n9000\\n","stderr":"oops\\n"/s,
    );
    const [, stdout = ''] = /"stdout":("(?:[^"\\]|\\.)*")/.exec(String(failed?.['content'])) ?? [];
    expect(JSON.parse(stdout).length).toBeLessThanOrEqual(10_000);
    expect(requests.length).toBeGreaterThan(STEPS.length);
    if (driver === 'docker') expect(containersOf(child)).toEqual([]);
  });

  it('removes its sandbox when it is stopped, and what a killed one has left', { timeout: 180_000 }, async ({
    skip,
  }) => {
    requirements(driver, skip);
    const marker = `6${process.pid}`;
    const { requests } = await serve(
      flashcards(Array.from({ length: 9 }, () => call('execute_command', { command: `sleep ${marker}` }))),
    );
    const sleeping = () => processesWith(`sleep ${marker}`);
    const killed = start({ SANDBOX: driver });
    await vi.waitFor(async () => expect(await sleeping()).not.toEqual([]), { timeout: 60_000 });
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(rows('SELECT status FROM sessions')).toEqual([{ status: 'running' }]);
    const stopped = start({ SANDBOX: driver });
    await vi.waitFor(() => expect(requests).toHaveLength(2), { timeout: 60_000 });
    await vi.waitFor(async () => expect(await sleeping()).not.toEqual([]), { timeout: 60_000 });
    if (driver === 'docker') expect(containersOf(killed.child)).toEqual([]);
    stopped.child.kill('SIGTERM');
    const { code, output } = await stopped.ended;
    expect(output).toContain('The session failed: it was stopped.');
    expect(code).toBe(1);
    expect(rows('SELECT status FROM sessions ORDER BY created_at')).toEqual([
      { status: 'running' },
      { status: 'failed' },
    ]);
    await vi.waitFor(async () => expect(await sleeping()).toEqual([]), { timeout: 60_000 });
    if (driver === 'docker') expect(containersOf(stopped.child)).toEqual([]);
  });
});

describe('the agent in one file', () => {
  it('fails the session with the reason when the API fails', async ({ skip }) => {
    requirements('bubblewrap', skip);
    await serve(() => ({ fault: { kind: 'status', status: 401, message: 'No such key.' } }));
    const { code, output } = await start({ SANDBOX: 'bubblewrap' }).ended;
    expect(output).toContain('The session failed: No such key.');
    expect(code).toBe(1);
    expect(rows('SELECT status FROM sessions')).toEqual([{ status: 'failed' }]);
  });

  it('continues when no summary can be written', { timeout: 180_000 }, async ({ skip }) => {
    requirements('bubblewrap', skip);
    const play = flashcards();
    await serve((request) =>
      request.asksForSummary
        ? { fault: { kind: 'status', status: 400, message: 'Not now.' } }
        : play(request),
    );
    const { code, output } = await start({ SANDBOX: 'bubblewrap' }).ended;
    expect(output).toContain('Not now.');
    expect(output).toContain('The application is complete.');
    expect(code).toBe(0);
    const [first] = rows('SELECT summary_content FROM compaction_events');
    expect(first?.['summary_content']).toContain('| package.json |');
  });

  it('fails the session when the container cannot start', async ({ skip }) => {
    requirements('docker', skip);
    await serve(() => 'Never asked.');
    const { child, ended } = start({ SANDBOX: 'docker', IMAGE: 'longhaul-test:missing' });
    const { code, output } = await ended;
    expect(output).toMatch(/The session failed: The container cannot start: .*longhaul-test:missing/s);
    expect(code).toBe(1);
    expect(rows('SELECT status FROM sessions')).toEqual([{ status: 'failed' }]);
    expect(containersOf(child)).toEqual([]);
    expect(server?.requests).toEqual([]);
  });

  it.each<{ env: Record<string, string>; task?: string; says: string }>([
    { env: {}, task: ' \n', says: 'There is no task.' },
    { env: { MODEL: 'mystery', WINDOW: '' }, says: 'Set WINDOW to its tokens' },
    { env: { WINDOW: '16k' }, says: 'Set WINDOW to its tokens' },
    { env: { SANDBOX: 'chroot' }, says: 'SANDBOX is docker or bubblewrap, not chroot.' },
  ])('refuses $env and the task "$task": $says', async ({ env, task, says }) => {
    const { code, output } = await start(env, task).ended;
    expect(output).toContain(says);
    expect(output).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it('has at most 600 lines and ten sections', async () => {
    const source = await readFile(AGENT, 'utf8');
    expect(source.split('\n').length - 1).toBeLessThanOrEqual(600);
    expect(source.match(/^\/\/ ── \d+\. /gm)).toHaveLength(10);
  });
});

import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Sandbox } from '@longhaul/core';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { setDate } from '@longhaul/testing/clock';
import type { ModelAnswer, ModelDriverHarness } from '@longhaul/testing/contracts';
import { createIdleSandbox, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, onTestFinished, test } from 'vitest';
import { createModelDriver } from '../src/model-driver.ts';
import { openAimock } from './aimock.ts';
import { startChatServer } from './chat-server.ts';
import { MODEL_INFO } from './drive.ts';
import { tested } from './tested-driver.ts';

const LOOK: ModelAnswer = {
  kind: 'tool-calls',
  calls: [{ callId: 'call_1', name: 'look', arguments: '{"at":1}' }],
};
const DONE: ModelAnswer = { kind: 'text', text: 'Done.' };

async function openChat(): Promise<ModelDriverHarness> {
  const server = await startChatServer();
  const options = { kind: 'openai-compatible', provider: 'mine', model: 'served-model' } as const;
  return Object.assign(server, {
    driver: () => createModelDriver({ ...options, baseUrl: server.url, info: MODEL_INFO, ...tested }),
  });
}

const HARNESSES: [name: string, open: () => Promise<ModelDriverHarness>][] = [
  ['openai-compatible', openChat],
  ['anthropic', () => openAimock({ kind: 'anthropic', model: 'claude-sonnet-4-5', path: '/v1', ...tested })],
  ['openai', () => openAimock({ kind: 'openai', model: 'gpt-5.1', path: '/v1', ...tested })],
  ['google', () => openAimock({ kind: 'google', model: 'gemini-3-pro-preview', path: '/v1beta', ...tested })],
];

/** A database on disk, which each `process` opens again with its own store, runtime and driver. */
async function openMachine(harness: ModelDriverHarness) {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-prefix-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const abort = new AbortController();
  const act = { isAborting: false };
  const look = testTool('look', () => {
    harness.answer(DONE);
    if (act.isAborting) abort.abort();
    return text('Nothing new.');
  });
  const inProcess = async <Result>(work: (run: Awaited<ReturnType<typeof testRun>>) => Promise<Result>) => {
    await using store = await openSqliteStore({ path: join(folder, 'longhaul.db') });
    const blobs = createFileBlobStore(join(folder, 'blobs'));
    const openSandbox = async () => workspace.sandbox();
    return await work(await testRun(await harness.driver(), [look], { store, blobs, openSandbox }));
  };
  const workspace = await openWorkspace(join(folder, 'workspace'));
  return { folder, inProcess, act, signal: abort.signal, workspace };
}

/** A folder with a git repository, without the program `git`, and a sandbox around it. */
async function openWorkspace(root: string) {
  const act = { description: 'none' };
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  const toBranch = (name: string) => write('.git/HEAD', `ref: refs/heads/${name}\n`);
  const idle = createIdleSandbox();
  const sandbox = (): Sandbox => ({
    ...idle,
    description: act.description,
    [Symbol.asyncDispose]: async () => {},
    files: {
      ...idle.files,
      root,
      stat: async (path) => {
        const info = await stat(join(root, path)).catch(() => undefined);
        const kind = info?.isDirectory() === true ? 'directory' : 'file';
        return info && { kind, size: info.size, modifiedAt: info.mtimeMs };
      },
      read: async (path) => await readFile(join(root, path)),
    },
  });
  return { write, toBranch, act, sandbox };
}

/** An index of git with one file that was once committed. */
function indexOf(path: string): Uint8Array {
  const entry = Buffer.alloc(Math.ceil((62 + path.length + 1) / 8) * 8);
  entry.writeUInt32BE(0o100644, 24);
  entry.writeUInt32BE(1, 36);
  entry.write(path, 62);
  return Buffer.concat([Buffer.from('DIRC\0\0\0\u0002\0\0\0\u0001', 'latin1'), entry]);
}

/** What a provider caches, in its order and without the marks of breakpoints, which are not part of the prompt. */
function promptOf(request: string): string {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = JSON.parse(request);
  const prompt = [tools, system ?? instructions ?? systemInstruction, messages ?? input ?? contents];
  return JSON.stringify(prompt, (key, value) => (key === 'cache_control' ? undefined : value));
}

/** Without the brackets and quotes that end its last message. More text can be joined to that message. */
function openEnd(prompt: string): string {
  return prompt.replace(/[\]}"]*$/, '');
}

test.each(HARNESSES)(
  '%s: every request begins with the one before, across processes, days, forks, resumes and changes of the workspace',
  async (_name, open) => {
    const harness = await open();
    onTestFinished(() => harness[Symbol.asyncDispose]());
    const machine = await openMachine(harness);
    const say = (words: string) => [{ type: 'text' as const, text: words }];

    const { workspace } = machine;
    await workspace.toBranch('main');
    await workspace.write('.git/index', indexOf('a.txt'));
    await workspace.write('a.txt', 'longer');
    await workspace.write('AGENTS.md', 'Use tabs.');
    setDate('2026-03-01T10:00:00Z');
    harness.answer(LOOK);
    const id = await machine.inProcess(async ({ run, sessionId }) => {
      await run('Look around.');
      return sessionId;
    });
    setDate('2026-03-01T18:00:00Z');
    await workspace.toBranch('feature');
    harness.answer(LOOK);
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Again, on the same day.') }));
    setDate('2026-03-02T10:00:00Z');
    await workspace.write('AGENTS.md', 'Use spaces.');
    harness.answer(LOOK);
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Again, on the next day.') }));
    harness.answer(LOOK);
    machine.act.isAborting = true;
    const { signal } = machine;
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Be interrupted.'), signal }));
    setDate('2026-03-05T10:00:00Z');
    workspace.act.description = 'bubblewrap, network off';
    await rm(join(machine.folder, 'workspace', '.git'), { recursive: true });
    await machine.inProcess(({ runtime }) => runtime.resume(id));
    setDate('2026-03-06T10:00:00Z');
    await rm(join(machine.folder, 'workspace', 'AGENTS.md'));
    await machine.inProcess(async ({ runtime }) => {
      const fork = await runtime.fork(id);
      await runtime.run(fork.id, { content: say('Go another way.') });
    });

    const prompts = harness.requests.map(promptOf);
    expect(prompts).toHaveLength(9);
    for (const [index, prompt] of prompts.entries()) {
      const before = openEnd(prompts[index - 1] ?? '');
      expect(prompt.slice(0, before.length)).toBe(before);
    }
    const last = prompts.at(-1) ?? '';
    expect(last.match(/Date: 2026-\d\d-\d\d/g)).toEqual(['Date: 2026-03-01']);
    const at = (words: string) => {
      expect(last.split(words), words).toHaveLength(2);
      return last.indexOf(words);
    };
    const told = [
      'Git: main, 1 tracked file with unstaged changes',
      'Use tabs.',
      'Look around.',
      'Git: feature, 1 tracked file with unstaged changes',
      'Again, on the next day.',
      'Use spaces.',
      'Be interrupted.',
      'Sandbox: bubblewrap, network off',
      'The workspace is no longer a git repository.',
      'Go another way.',
      "The project's AGENTS.md was deleted.",
    ].map(at);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(last.match(/The date is now 2026-\d\d-\d\d/g)).toEqual([
      'The date is now 2026-03-02',
      'The date is now 2026-03-05',
      'The date is now 2026-03-06',
    ]);
  },
);

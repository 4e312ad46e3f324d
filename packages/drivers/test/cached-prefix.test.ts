import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { setDate } from '@longhaul/testing/clock';
import type { ModelAnswer, ModelDriverHarness } from '@longhaul/testing/contracts';
import { testRun, testTool, text } from '@longhaul/testing/doubles';
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

/** A database on disk, in which each `process` is opened anew with its own store, runtime and driver. */
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
    return await work(await testRun(await harness.driver(), [look], { store }));
  };
  return { inProcess, act, signal: abort.signal };
}

/** What a provider caches, in its order and without the marks of breakpoints, which are no part of the prompt. */
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
  '%s: every request begins with the one before, across processes, days, forks and resumes',
  async (_name, open) => {
    const harness = await open();
    onTestFinished(() => harness[Symbol.asyncDispose]());
    const machine = await openMachine(harness);
    const say = (words: string) => [{ type: 'text' as const, text: words }];

    setDate('2026-03-01T10:00:00Z');
    harness.answer(LOOK);
    const id = await machine.inProcess(async ({ run, sessionId }) => {
      await run('Look around.');
      return sessionId;
    });
    setDate('2026-03-01T18:00:00Z');
    harness.answer(LOOK);
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Again, on the same day.') }));
    setDate('2026-03-02T10:00:00Z');
    harness.answer(LOOK);
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Again, on the next day.') }));
    harness.answer(LOOK);
    machine.act.isAborting = true;
    const { signal } = machine;
    await machine.inProcess(({ runtime }) => runtime.run(id, { content: say('Be interrupted.'), signal }));
    setDate('2026-03-05T10:00:00Z');
    await machine.inProcess(({ runtime }) => runtime.resume(id));
    setDate('2026-03-06T10:00:00Z');
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
    expect(last.match(/The date is now 2026-\d\d-\d\d/g)).toEqual([
      'The date is now 2026-03-02',
      'The date is now 2026-03-05',
      'The date is now 2026-03-06',
    ]);
  },
);

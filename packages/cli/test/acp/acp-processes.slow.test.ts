import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Running } from '../harness.ts';
import { type Editor, textOf } from './editor.ts';
import { EditorBench } from './editor-bench.ts';

const { session } = methods.agent;

describe('longhaul acp whose editor leaves', () => {
  let bench: EditorBench;

  beforeEach(async () => {
    bench = await EditorBench.open();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const place = (sessionId: string) => ({ sessionId, cwd: bench.folder, mcpServers: [] });

  it.each([
    ['the end of its input', (editor: Editor) => editor.leave()],
    ['SIGTERM', (editor: Editor) => void editor.running.child.kill('SIGTERM')],
  ])('interrupts a running command on %s, and another process continues the session', async (_how, leave) => {
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    const prompt = editor.prompt(id, 'wait for me');
    prompt.catch(() => undefined);
    await editor.until(() => JSON.stringify(editor.of('tool_call_update')).includes('begun'));
    leave(editor);
    expect(await editor.ended).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await bench.bench.call(['sessions', '--json']);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ state: 'interrupted' });

    const next = await bench.editor();
    await next.agent.request(session.load, place(id));
    expect(textOf(next.of('user_message_chunk'))).toBe('wait for me');
    expect(await next.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
  });

  it('ends a call as failed whose process was killed', async () => {
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    editor.prompt(id, 'wait for me').catch(() => undefined);
    await editor.until(() => JSON.stringify(editor.of('tool_call_update')).includes('begun'));
    editor.running.child.kill('SIGKILL');
    await editor.ended;

    const next = await bench.editor();
    await next.agent.request(session.load, place(id));
    const [call] = next.of('tool_call');
    expect(call).toMatchObject({ status: 'pending' });
    expect(await next.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
    expect(next.of('tool_call_update')).toEqual([
      expect.objectContaining({ toolCallId: call?.toolCallId, status: 'failed' }),
    ]);
  });

  it('asks again about a call whose question was open', async () => {
    const never = Promise.withResolvers<never>();
    const editor = await bench.editor({ permit: () => never.promise });
    const id = await editor.begin(bench.folder);
    editor.prompt(id, 'touch it').catch(() => undefined);
    await editor.until(() => editor.questions.length > 0);
    editor.leave();
    await editor.ended;

    const next = await bench.editor();
    await next.agent.request(session.load, place(id));
    expect(next.of('tool_call')).toMatchObject([{ status: 'pending' }]);
    await next.prompt(id, 'go on');
    expect(next.questions).toMatchObject([{ toolCall: { toolCallId: next.of('tool_call')[0]?.toolCallId } }]);
    expect(next.of('tool_call_update')).toContainEqual(expect.objectContaining({ status: 'completed' }));
    await mkdir(join(bench.folder, 'made')).catch((error: Error) =>
      expect(error.message).toContain('EEXIST'),
    );
  });

  it('withdraws a question that another process has answered', async () => {
    const never = Promise.withResolvers<never>();
    const editor = await bench.editor({ permit: () => never.promise });
    const id = await editor.begin(bench.folder);
    const prompt = editor.prompt(id, 'touch it');
    await editor.until(() => editor.questions.length > 0);
    const path = join(bench.bench.home, '.local/share/longhaul/longhaul.db');
    await using store = await openSqliteStore({ path });
    const [request] = await store.listApprovals(id, { open: true });
    if (request === undefined) throw new Error('There is no open request.');
    await store.answerApproval(id, request.callId, { answer: 'once', handle: request.handle });
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(editor.running.output()).toContain('"$/cancel_request"');
    expect(editor.of('tool_call_update').at(-1)).toMatchObject({ status: 'completed' });
  });

  it('ends with a reason if a line is too long to be a message', async () => {
    const editor = await bench.editor();
    await editor.write('x'.repeat(65 * 1024 * 1024));
    expect(await editor.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('67108864 bytes') });
  });

  it('ends if nobody reads its output', async () => {
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    editor.running.child.stdout?.destroy();
    editor.prompt(id, 'wait for me').catch(() => undefined);
    expect(await editor.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends without a session', async () => {
    const editor = await bench.editor();
    editor.leave();
    expect(await editor.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('shows the work of another process on a session that it has open', async () => {
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    await editor.prompt(id, 'greet');
    await bench.bench.call(['run', '--session', id, '--quiet', 'greet again']);
    editor.updates.length = 0;
    await editor.agent.request(session.load, place(id));
    expect(textOf(editor.of('user_message_chunk'))).toBe('greetgreet again');
  });
});

describe('longhaul acp beside another process that works on the session', () => {
  let bench: EditorBench;
  let editor: Editor;
  let id: string;
  let other: Running;

  beforeEach(async () => {
    bench = await EditorBench.open();
    editor = await bench.editor();
    id = await editor.begin(bench.folder);
    await editor.prompt(id, 'greet');
    other = bench.bench.start(['run', '--session', id, '--quiet', 'hold on']);
    await expect.poll(() => bench.prompts.at(-1)).toBe('hold on');
    editor.updates.length = 0;
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const waits = async () => (await bench.bench.call(['queue', id])).stdout;

  it('queues a prompt for it, and shows the answer', async () => {
    const prompt = editor.prompt(id, 'and greet');
    await expect.poll(waits).toContain('and greet');
    bench.held.resolve();
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.of('agent_message_chunk'))).toContain('Hello there.');
    expect((await other.ended).code).toBe(0);
  });

  it('withdraws a prompt on cancel, and lets the other process continue', async () => {
    const prompt = editor.prompt(id, 'and greet');
    await expect.poll(waits).toContain('and greet');
    await editor.cancel(id);
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(await waits()).not.toContain('and greet');
    bench.held.resolve();
    expect(await other.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
  });

  it('refuses to delete the session', async () => {
    await expect(editor.agent.request(session.delete, { sessionId: id })).rejects.toMatchObject({
      data: { code: 'session_busy' },
    });
    bench.held.resolve();
    expect((await other.ended).code).toBe(0);
  });
});

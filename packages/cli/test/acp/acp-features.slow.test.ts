import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type McpServer, methods } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Running } from '../harness.ts';
import { type Editor, type EditorOptions, textOf } from './editor.ts';
import { EditorBench } from './editor-bench.ts';

const { session } = methods.agent;

describe('longhaul acp with an editor that offers', () => {
  let bench: EditorBench;
  let file: string;
  let id: string;

  beforeEach(async () => {
    bench = await EditorBench.open();
    file = join(bench.folder, 'notes.txt');
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  async function begin(options: EditorOptions): Promise<Editor> {
    const editor = await bench.editor(options);
    id = await editor.begin(bench.folder);
    return editor;
  }

  describe('its files', () => {
    const fs = { readTextFile: true, writeTextFile: true };

    it('edits the unsaved text of a buffer', async () => {
      await writeFile(file, 'one\r\n');
      const buffers = new Map([[file, 'one\ntwo\n']]);
      const editor = await begin({ capabilities: { fs }, buffers });
      await editor.prompt(id, 'change the file');
      expect(editor.written).toEqual([{ path: file, content: 'one\r\nzwei\r\n' }]);
      expect(editor.of('tool_call_update').at(-1)).toMatchObject({
        status: 'completed',
        content: [{ type: 'diff', path: file, oldText: expect.stringContaining('two') }],
      });
    });

    it('reads the unsaved text of a buffer, also of one that is longer than its file', async () => {
      await writeFile(file, 'short\n');
      const unsaved = Array.from({ length: 3_000 }, (_, line) => `line ${line} with some text`).join('\n');
      const editor = await begin({ capabilities: { fs }, buffers: new Map([[file, unsaved]]) });
      await editor.prompt(id, 'look at the file');
      const shown = JSON.stringify(editor.of('tool_call_update').at(-1));
      expect(shown).toContain('line 0 with some text');
      expect(shown).toContain('[Lines 1-1530 of 3000.');
    });

    it('reads the file if the editor does not have it', async () => {
      await writeFile(file, 'saved\n');
      const editor = await begin({ capabilities: { fs }, buffers: new Map() });
      await editor.prompt(id, 'look at the file');
      expect(JSON.stringify(editor.of('tool_call_update').at(-1))).toContain('saved');
    });

    it('makes a new file, and gives the editor its text', async () => {
      const buffers = new Map<string, string>();
      const editor = await begin({ capabilities: { fs }, buffers });
      await editor.prompt(id, 'make a file');
      const made = join(bench.folder, 'made.txt');
      expect(editor.written).toEqual([{ path: made, content: 'one\ntwo\n' }]);
    });

    it('reports a write that the editor refuses, and does not write past it', async () => {
      await writeFile(file, 'two\n');
      const editor = await begin({ capabilities: { fs }, refusesWrites: true });
      await editor.prompt(id, 'change the file');
      expect(editor.of('tool_call_update').at(-1)).toMatchObject({ status: 'failed' });
      expect(JSON.stringify(editor.updates)).toContain('The editor did not write notes.txt');
      expect(await readFile(file, 'utf8')).toBe('two\n');
    });

    it('never asks an editor that offers no files', async () => {
      await writeFile(file, 'two\n');
      const editor = await begin({ buffers: new Map([[file, 'unsaved two\n']]) });
      await editor.prompt(id, 'change the file');
      expect(await readFile(file, 'utf8')).toBe('zwei\n');
      expect(editor.written).toEqual([]);
    });
  });

  describe('compactions', () => {
    async function filled(options: EditorOptions): Promise<Editor> {
      const editor = await begin(options);
      const filler = 'some words that fill the window '.repeat(400);
      for (const words of ['one', 'two', 'three', 'four'])
        await editor.prompt(id, `greet ${words} ${filler}`);
      return editor;
    }

    async function compacted(options: EditorOptions): Promise<Editor> {
      const editor = await filled(options);
      await editor.prompt(id, '/compact');
      return editor;
    }

    it('stops one on cancel, and changes nothing', async () => {
      const editor = await filled({ capabilities: { session: { compaction: {} } } });
      const held = Promise.withResolvers<void>();
      bench.gate = held.promise;
      const asked = bench.prompts.length;
      const prompt = editor.prompt(id, '/compact');
      await expect.poll(() => bench.prompts.length).toBe(asked + 1);
      await editor.cancel(id);
      expect(await prompt).toEqual({ stopReason: 'cancelled' });
      held.resolve();
      expect(editor.of('compaction_update').map(({ status }) => status)).toEqual([
        'in_progress',
        'cancelled',
      ]);
      await editor.prompt(id, '/undo');
      expect(textOf(editor.of('agent_message_chunk'))).toContain('Nothing to undo');
    });

    it('reports them with their summary', async () => {
      const editor = await compacted({ capabilities: { session: { compaction: {} } } });
      expect(editor.of('compaction_update')).toMatchObject([
        { status: 'in_progress' },
        {
          status: 'completed',
          summary: [{ type: 'text', text: expect.stringMatching(/^\d+k? → \d+k? tokens\n/) }],
        },
      ]);
    });

    it('shows them as a call to an editor that does not know them', async () => {
      const editor = await compacted({});
      expect(editor.of('compaction_update')).toEqual([]);
      expect(editor.of('tool_call')).toMatchObject([{ title: 'Compacting the context', kind: 'think' }]);
      expect(editor.of('tool_call_update').at(-1)).toMatchObject({
        status: 'completed',
        title: expect.stringMatching(/^Compacted the context: /),
      });
    });
  });

  it('notices: settings of an untrusted project, and ignored MCP servers', async () => {
    await writeFile(
      join(bench.folder, 'longhaul.yml'),
      'providers:\n  mine: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }\n',
    );
    const editor = await bench.editor({ capabilities: { session: { notices: {} } } });
    const mcpServers: McpServer[] = [{ name: 'files', command: '/bin/false', args: [], env: [] }];
    const { sessionId } = await editor.agent.request(session.new, { cwd: bench.folder, mcpServers });
    await editor.prompt(sessionId, 'greet');
    const titles = editor.of('notice').map(({ title }) => title);
    expect(titles[0]).toContain('MCP servers (files)');
    expect(titles[1]).toContain('providers.mine');
    expect(textOf(editor.of('agent_message_chunk'))).toBe('Hello there.');
  });

  it('nothing: the settings of an untrusted project are named in a message', async () => {
    await writeFile(join(bench.folder, 'longhaul.yml'), 'approvals: [{ tool: "*", action: allow }]\n');
    const editor = await begin({});
    await editor.prompt(id, 'touch it');
    expect(textOf(editor.of('agent_message_chunk'))).toContain('is not trusted: approvals');
    expect(editor.questions).toHaveLength(1);
  });
});

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
    await editor.until(() => JSON.stringify(editor.updates).includes('begun'));
    leave(editor);
    expect(await editor.ended).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await bench.bench.call(['sessions', '--json']);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ state: 'interrupted' });

    const next = await bench.editor();
    await next.agent.request(session.load, place(id));
    expect(textOf(next.of('user_message_chunk'))).toBe('wait for me');
    expect(await next.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
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

  it('takes a prompt back on cancel, and leaves the other process at work', async () => {
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

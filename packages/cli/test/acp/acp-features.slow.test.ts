import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type McpServer, methods, type NewSessionRequest } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeLongSession } from '../long-session.ts';
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

    it('reads the unsaved text of a buffer, even if it is longer than its file', async () => {
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
      const filler = 'some words that fill the window '.repeat(355);
      for (const words of ['one', 'two', 'three', 'four'])
        await editor.prompt(id, `greet ${words} ${filler}`);
      return editor;
    }

    async function compacted(options: EditorOptions): Promise<Editor> {
      const editor = await filled(options);
      await editor.prompt(id, '/compact');
      return editor;
    }

    it('stops one on cancel without changing anything', async () => {
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
      'providers:\n  mine: { kind: openai-compatible, baseUrl: "http://127.0.0.1:65500/v1" }\n',
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

  it('nothing: a message names the ignored MCP servers', async () => {
    const editor = await bench.editor({});
    const mcpServers: McpServer[] = [{ name: 'files', command: '/bin/false', args: [], env: [] }];
    const { sessionId } = await editor.agent.request(session.new, { cwd: bench.folder, mcpServers });
    await editor.prompt(sessionId, 'greet');
    expect(textOf(editor.of('agent_message_chunk'))).toMatch(/MCP servers \(files\)[\s\S]*Hello there\.$/);
  });

  it('nothing: a message names the settings of an untrusted project', async () => {
    await writeFile(join(bench.folder, 'longhaul.yml'), 'approvals: [{ tool: "*", action: allow }]\n');
    const editor = await begin({});
    await editor.prompt(id, 'touch it');
    expect(textOf(editor.of('agent_message_chunk'))).toContain('is not trusted: approvals');
    expect(editor.questions).toHaveLength(1);

    const trusted = await bench.bench.call(['trust', bench.folder, '--yes']);
    expect(trusted.code).toBe(0);
    await editor.prompt(id, 'touch it again');
    expect(editor.questions).toHaveLength(1);
  });
});

describe('longhaul acp with a session of many messages', () => {
  // More than the pipe and the buffers of both sides hold: an agent cannot send all while the editor does not read.
  const COUNT = 5_000;
  let bench: EditorBench;
  let editor: Editor;
  let sessionId: string;

  beforeEach(async () => {
    bench = await EditorBench.open();
    sessionId = await writeLongSession(bench.bench, { count: COUNT, model: 'local/scripted' });
    editor = await bench.editor();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  const load = () => editor.agent.request(session.load, { sessionId, cwd: bench.folder, mcpServers: [] });
  const shown = () => editor.updatesOf(sessionId).length;

  it('loads all messages in order, and answers other requests in the meantime', async () => {
    const [loading, shownAtList] = await editor.unread(2, () => [
      load(),
      editor.agent.request(session.list, { cwd: bench.folder }).then(shown),
    ]);
    expect(await shownAtList).toBeLessThan(COUNT);
    await loading;
    const texts = editor.updatesOf(sessionId).map((update) => ('content' in update ? update.content : []));
    const expected = Array.from({ length: COUNT }, (_, index) => ({ text: `text ${index + 1}` }));
    expect(texts.slice(0, COUNT)).toMatchObject(expected);
  });

  it.each([
    ['is closed', session.close],
    ['is deleted', session.delete],
  ])('stops when the session %s', async (_how, method) => {
    const [loading, ended] = await editor.unread(2, () => [
      load(),
      editor.agent.request(method, { sessionId }),
    ]);
    await expect(loading).rejects.toMatchObject({ code: -32800 });
    await ended;
    expect(shown()).toBeLessThan(COUNT);
  });

  it('stops even if the close arrives before the session is open', async () => {
    await load();
    const before = shown();
    const [loading, closed] = await editor.inOnePiece(2, () => [
      load(),
      editor.agent.request(session.close, { sessionId }),
    ]);
    await expect(loading).rejects.toMatchObject({ code: -32800 });
    await closed;
    expect(shown() - before).toBeLessThan(COUNT);
    await expect(editor.prompt(sessionId, 'greet')).rejects.toMatchObject({ code: -32002 });
  });
});

describe('longhaul acp with a configuration', () => {
  it('offers catalogue models whose provider has its own key', async () => {
    await using bench = await EditorBench.open();
    const offered = async (env: Record<string, string>) => {
      const editor = await bench.editor({ env });
      const place: NewSessionRequest = { cwd: bench.folder, mcpServers: [] };
      const { configOptions } = await editor.agent.request(session.new, place);
      return JSON.stringify(configOptions?.[0]);
    };
    const withKey = await offered({ ANTHROPIC_API_KEY: 'x' });
    expect(withKey).toContain('"anthropic/claude-sonnet-4-5"');
    expect(withKey).not.toContain('"openai/');
    expect(await offered({ LONGHAUL_API_KEY: 'x' })).not.toContain('"anthropic/');
  });

  it('ends a turn at a limit with max_turn_requests', async () => {
    await using bench = await EditorBench.open('limits: { steps: 1 }\n');
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    expect(await editor.prompt(id, 'touch it')).toEqual({ stopReason: 'max_turn_requests' });
  });

  it('reports a failure of the model as an error, and continues with another model', async () => {
    await using bench = await EditorBench.open('retry: { attempts: 1 }\n');
    await appendProvider(
      bench,
      '  dead: { kind: openai-compatible, baseUrl: "http://127.0.0.1:65500/v1", models: { m: { window: 16000 } } }\n',
    );
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    const use = (value: string) =>
      editor.agent.request(session.setConfigOption, { sessionId: id, configId: 'model', value });
    await use('dead/m');
    await expect(editor.prompt(id, 'greet')).rejects.toMatchObject({
      code: -32603,
      data: { code: 'provider_unreachable', retryable: true },
    });
    await use('local/scripted');
    expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
  });
});

async function appendProvider({ bench }: EditorBench, line: string): Promise<void> {
  const text = await readFile(bench.userFile, 'utf8');
  await writeFile(bench.userFile, text.replace('providers:\n', `providers:\n${line}`));
}

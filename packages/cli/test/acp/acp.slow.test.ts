import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { methods, type NewSessionRequest, type RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chosen, type Editor, textOf } from './editor.ts';
import { EditorBench, kindsOf } from './editor-bench.ts';

const { session, initialize } = methods.agent;

describe('longhaul acp', () => {
  let bench: EditorBench;
  let editor: Editor;
  let permit: () => Promise<RequestPermissionResponse>;

  beforeAll(async () => {
    bench = await EditorBench.open('agents:\n  reviewer: { tools: [read], model: local/other }\n');
    editor = await bench.editor({ permit: () => permit() });
    permit = async () => chosen('once');
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
    expect(await editor.ended).toMatchObject({
      code: 0,
      stderr: 'longhaul: The editor could not ask about write: Internal error\n',
    });
  });

  it('answers any version with the version that it speaks, and names its capabilities', async () => {
    expect(await editor.agent.request(initialize, { protocolVersion: 999 })).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'longhaul' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
    });
  });

  it('streams reasoning and text of an answer, and ends the turn', async () => {
    const id = await editor.begin(bench.folder);
    expect(await editor.prompt(id, 'Please greet me')).toEqual({ stopReason: 'end_turn' });
    const updates = editor.updatesOf(id);
    expect(kindsOf(updates)).toEqual(
      expect.arrayContaining([
        'available_commands_update',
        'session_info_update',
        'agent_thought_chunk',
        'agent_message_chunk',
        'usage_update',
      ]),
    );
    expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'usage_update', size: 16_000 }));
    expect(textOf(editor.of('agent_message_chunk', id))).toBe('Hello there.');
    expect(textOf(editor.of('agent_thought_chunk', id))).toBe('They greet.');
  });

  it('shows a written file as a diff, with its place', async () => {
    const id = await editor.begin(bench.folder);
    await editor.prompt(id, 'make a file');
    const path = join(bench.folder, 'made.txt');
    expect(editor.of('tool_call', id)).toMatchObject([
      { kind: 'edit', name: 'write', locations: [{ path }] },
    ]);
    expect(editor.of('tool_call_update', id).at(-1)).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path, oldText: null, newText: 'one\ntwo\n' }],
    });
  });

  it('names files by the folder as the client named it', async () => {
    const link = join(bench.bench.root, 'link');
    await symlink(bench.folder, link);
    const id = await editor.begin(link);
    await editor.prompt(id, 'make a file');
    expect(editor.of('tool_call', id)).toMatchObject([{ locations: [{ path: join(link, 'made.txt') }] }]);
  });

  it('shows the todo list as the plan, and no call for it', async () => {
    const id = await editor.begin(bench.folder);
    await editor.prompt(id, 'plan it');
    expect(editor.of('plan', id).at(-1)?.entries).toEqual([
      { content: 'Look', priority: 'medium', status: 'completed' },
      { content: 'Act', priority: 'medium', status: 'in_progress' },
    ]);
    expect(editor.of('tool_call', id)).toEqual([]);
  });

  it('shows the output of a running command, stops it on cancel, and continues after it', async () => {
    const id = await editor.begin(bench.folder);
    const prompt = editor.prompt(id, 'wait for me');
    await editor.until(() => JSON.stringify(editor.of('tool_call_update', id)).includes('begun'));
    await editor.cancel(id);
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
  });

  it('ends a prompt as cancelled if the cancel follows right after it, and never delivers it', async () => {
    const id = await editor.begin(bench.folder);
    const [prompt] = await editor.inOnePiece(2, () => [
      editor.prompt(id, 'a prompt that nobody gets'),
      editor.cancel(id),
    ]);
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    await editor.prompt(id, 'greet');
    expect(bench.prompts.join('\n')).not.toContain('nobody gets');
  });

  it('ends a prompt whose request is cancelled', async () => {
    const id = await editor.begin(bench.folder);
    const controller = new AbortController();
    const prompt = editor.agent.request(
      session.prompt,
      { sessionId: id, prompt: [{ type: 'text', text: 'wait for me' }] },
      { cancellationSignal: controller.signal },
    );
    await editor.until(() => JSON.stringify(editor.of('tool_call_update', id)).includes('begun'));
    controller.abort();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
  });

  it('queues a prompt during a turn for its next step, and ends both with the turn', async () => {
    const id = await editor.begin(bench.folder);
    const first = editor.prompt(id, 'hold on');
    await expect.poll(() => bench.prompts.includes('hold on')).toBe(true);
    const second = editor.prompt(id, 'and greet');
    await expect.poll(async () => (await bench.bench.call(['queue', id])).stdout).toContain('and greet');
    bench.held.resolve();
    expect(await Promise.all([first, second])).toEqual([
      { stopReason: 'end_turn' },
      { stopReason: 'end_turn' },
    ]);
    expect(textOf(editor.of('agent_message_chunk', id))).toContain('Hello there.');
  });

  it('offers the model only the tools that a prompt allows', async () => {
    const id = await editor.begin(bench.folder);
    const prompt = [{ type: 'text' as const, text: 'make a file' }];
    const send = (tools: unknown) =>
      editor.agent.request(session.prompt, { sessionId: id, prompt, _meta: { longhaul: { tools } } });
    expect(await send(['read', 'list'])).toEqual({ stopReason: 'end_turn' });
    expect(JSON.stringify(editor.of('tool_call_update', id))).toContain(
      'Not run: the user allows only read, list for this message.',
    );
    await expect(send('read')).rejects.toThrow('must be a list of names of tools');
    await expect(send(['reed'])).rejects.toThrow('Did you mean "read"?');
  });

  it('works on two sessions at the same time, and cancels one of them', async () => {
    const [one, two] = [await editor.begin(bench.folder), await editor.begin(bench.folder)];
    const waiting = editor.prompt(one, 'wait for me');
    await editor.until(() => JSON.stringify(editor.of('tool_call_update', one)).includes('begun'));
    expect(await editor.prompt(two, 'greet')).toEqual({ stopReason: 'end_turn' });
    await editor.cancel(one);
    expect(await waiting).toEqual({ stopReason: 'cancelled' });
  });

  describe('permission', () => {
    it('asks with what the call does, and what "always" allows', async () => {
      const id = await editor.begin(bench.folder);
      permit = async () => chosen('always');
      await editor.prompt(id, 'touch it');
      const question = editor.questions.findLast(({ sessionId }) => sessionId === id);
      expect(question).toMatchObject({
        toolCall: {
          title: 'touch made',
          kind: 'execute',
          toolCallId: editor.of('tool_call', id)[0]?.toolCallId,
        },
        options: [
          { optionId: 'once', kind: 'allow_once' },
          { optionId: 'always', kind: 'allow_always', name: 'Always allow in this session: touch made' },
          { optionId: 'reject', kind: 'reject_once' },
        ],
      });
      const asked = editor.questions.length;
      await editor.prompt(id, 'touch it again');
      expect(editor.questions.length).toBe(asked);
    });

    it('tells the model that a call was rejected', async () => {
      const id = await editor.begin(bench.folder);
      permit = async () => chosen('reject');
      expect(await editor.prompt(id, 'touch it')).toEqual({ stopReason: 'end_turn' });
      expect(editor.of('tool_call_update', id).at(-1)).toMatchObject({ status: 'failed' });
    });

    it.each([
      ['cancelled', async () => ({ outcome: { outcome: 'cancelled' } }) as const, 'cancelled'],
      ['answered by an option that was not offered', async () => chosen('everything'), 'end_turn'],
      ['refused by an editor that cannot ask', () => Promise.reject(new Error('no window')), 'end_turn'],
    ])('does not make a call whose question is %s', async (_case, answer, stopReason) => {
      const id = await editor.begin(bench.folder);
      permit = answer;
      expect(await editor.prompt(id, 'make a file')).toEqual({ stopReason });
      permit = async () => chosen('once');
      expect(editor.of('tool_call_update', id).at(-1)).toMatchObject({ status: 'failed' });
    });

    it('withdraws the question on cancel', async () => {
      const id = await editor.begin(bench.folder);
      const never = Promise.withResolvers<RequestPermissionResponse>();
      permit = () => never.promise;
      const prompt = editor.prompt(id, 'touch it');
      await editor.until(() => editor.questions.some(({ sessionId }) => sessionId === id));
      await editor.cancel(id);
      expect(await prompt).toEqual({ stopReason: 'cancelled' });
      never.resolve({ outcome: { outcome: 'cancelled' } });
      permit = async () => chosen('once');
    });
  });

  describe('sessions', () => {
    const place = (): NewSessionRequest => ({ cwd: bench.folder, mcpServers: [] });

    it('lists, loads with all messages, resumes, closes and deletes a session', async () => {
      await rm(join(bench.folder, 'made.txt'));
      const id = await editor.begin(bench.folder);
      await editor.prompt(id, 'make a file');
      await editor.prompt(id, 'plan it, and greet');
      const { sessions } = await editor.agent.request(session.list, { cwd: bench.folder });
      expect(sessions[0]).toMatchObject({ sessionId: id, cwd: bench.folder, title: 'make a file' });
      await editor.agent.request(session.close, { sessionId: id });
      await expect(editor.prompt(id, 'greet')).rejects.toMatchObject({ code: -32002 });

      const live = editor.updatesOf(id);
      editor.updates.length = 0;
      const loaded = await editor.agent.request(session.load, { sessionId: id, ...place() });
      expect(loaded).toMatchObject({ modes: { currentModeId: 'coder' } });
      expect(textOf(editor.of('user_message_chunk', id))).toBe('make a fileplan it, and greet');
      const shown = (updates: typeof live) =>
        textOf(updates.flatMap((each) => (each.sessionUpdate === 'agent_message_chunk' ? [each] : [])));
      expect(shown(editor.updatesOf(id))).toBe(shown(live));
      expect(editor.of('tool_call', id)).toMatchObject([
        { status: 'completed', content: [{ type: 'diff' }] },
      ]);

      await editor.agent.request(session.close, { sessionId: id });
      editor.updates.length = 0;
      await editor.agent.request(session.resume, { sessionId: id, ...place() });
      expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
      expect(editor.of('user_message_chunk', id)).toEqual([]);

      await editor.agent.request(session.delete, { sessionId: id });
      const left = await editor.agent.request(session.list, { cwd: bench.folder });
      expect(left.sessions.map(({ sessionId }) => sessionId)).not.toContain(id);
    });

    it('reports commands of a session after the response that names it', async () => {
      const id = await editor.begin(bench.folder);
      await editor.until(() => editor.of('available_commands_update', id).length > 0);
      const lines = editor.running
        .output()
        .split('\n')
        .filter((line) => line.includes(id));
      expect(lines.map((line) => line.includes('"result"'))).toEqual([true, false]);
    });

    it('reports how full the window is when a session is resumed', async () => {
      const id = await editor.begin(bench.folder);
      await editor.prompt(id, 'greet');
      const live = editor.of('usage_update', id).at(-1);
      editor.updates.length = 0;
      await editor.agent.request(session.resume, { sessionId: id, ...place() });
      expect(editor.of('usage_update', id)).toEqual([live]);
    });

    it('answers two first prompts of a session that arrive at the same time', async () => {
      const id = await editor.begin(bench.folder);
      const both = [editor.prompt(id, 'greet'), editor.prompt(id, 'greet too')];
      expect(await Promise.all(both)).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
      editor.updates.length = 0;
      await editor.agent.request(session.load, { sessionId: id, ...place() });
      expect(textOf(editor.of('user_message_chunk', id))).toMatch(/greet[\s\S]*greet too/);
    });

    it('deletes a session that a turn works on', async () => {
      const id = await editor.begin(bench.folder);
      const prompt = editor.prompt(id, 'wait for me');
      await editor.until(() => JSON.stringify(editor.of('tool_call_update', id)).includes('begun'));
      await editor.agent.request(session.delete, { sessionId: id });
      expect(await prompt).toEqual({ stopReason: 'cancelled' });
      await expect(editor.agent.request(session.load, { sessionId: id, ...place() })).rejects.toMatchObject({
        code: -32002,
      });
    });

    it('stores no session without a prompt', async () => {
      const id = await editor.begin(bench.folder);
      const { sessions } = await editor.agent.request(session.list, {});
      expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(id);
    });

    it('lists pages', async () => {
      const first = await editor.agent.request(session.list, { cwd: bench.folder });
      const last = first.sessions.at(-1)?.sessionId;
      const next = await editor.agent.request(session.list, { cwd: bench.folder, cursor: last });
      expect(next.sessions).toEqual([]);
    });

    it('changes the agent, with its model, and the model', async () => {
      const { sessionId, modes, configOptions } = await editor.agent.request(session.new, place());
      expect(modes?.availableModes.map(({ id }) => id)).toEqual(['coder', 'reviewer']);
      expect(configOptions).toMatchObject([
        { id: 'model', category: 'model', currentValue: 'local/scripted' },
        { id: 'agent', category: 'mode', currentValue: 'coder' },
      ]);
      await editor.agent.request(session.setMode, { sessionId, modeId: 'reviewer' });
      expect(editor.of('config_option_update', sessionId)).toMatchObject([
        { configOptions: [{ currentValue: 'local/other' }, { currentValue: 'reviewer' }] },
      ]);
      const changed = await editor.agent.request(session.setConfigOption, {
        sessionId,
        configId: 'model',
        value: 'local/scripted',
      });
      expect(changed.configOptions).toMatchObject([{ currentValue: 'local/scripted' }, {}]);
      await editor.prompt(sessionId, 'greet');
      const shown = JSON.parse((await bench.bench.call(['show', sessionId, '--json'])).stdout);
      expect(JSON.stringify(shown)).toContain('"agent":"reviewer"');
    });
  });

  describe('commands', () => {
    it('compacts, undoes and shows the context for a typed command, which the model never gets', async () => {
      const id = await editor.begin(bench.folder);
      for (const words of ['greet', 'greet me', 'greet them']) await editor.prompt(id, words);
      const prompts = bench.prompts.length;
      for (const command of [
        '/context',
        '/compact',
        '/undo',
        '/cost',
        '/recall greet',
        '/pin m1',
        '/unpin m1',
      ])
        expect(await editor.prompt(id, command)).toEqual({ stopReason: 'end_turn' });
      expect(bench.prompts.slice(prompts).filter((text) => text.startsWith('/'))).toEqual([]);
      const shown = textOf(editor.of('agent_message_chunk', id));
      expect(shown).toContain('system text');
      expect(shown).toContain('Pinned: m1');
      expect(shown).toMatch(/3 steps · /);
    });

    it('sends a text that begins with a path to the model', async () => {
      const id = await editor.begin(bench.folder);
      await editor.prompt(id, '/etc/hosts, what is that?');
      await editor.prompt(id, '/nonsense');
      expect(bench.prompts.slice(-2)).toEqual(['/etc/hosts, what is that?', '/nonsense']);
    });

    it('sends the text of an own command once the workspace is trusted', async () => {
      await mkdir(join(bench.folder, '.longhaul/commands'), { recursive: true });
      await writeFile(join(bench.folder, '.longhaul/commands/hail.md'), 'Please greet $ARGUMENTS.');
      const before = await editor.begin(bench.folder);
      await editor.until(() => editor.of('available_commands_update', before).length > 0);
      expect(JSON.stringify(editor.of('available_commands_update', before))).not.toContain('hail');
      const prompts = bench.prompts.length;
      await editor.prompt(before, '/hail them all');
      expect(textOf(editor.of('agent_message_chunk', before))).toContain(
        'is not trusted, or has changed since it was trusted',
      );
      expect(bench.prompts).toHaveLength(prompts);
      await bench.bench.call(['trust', bench.folder, '--yes']);
      const id = await editor.begin(bench.folder);
      await editor.until(() => editor.of('available_commands_update', id).length > 0);
      expect(editor.of('available_commands_update', id)[0]?.availableCommands).toContainEqual({
        name: 'hail',
        description: 'Please greet $ARGUMENTS.',
        input: { hint: 'WORDS' },
      });
      await editor.prompt(id, '/hail them all');
      expect(bench.prompts.at(-1)).toBe('Please greet them all.');
    });

    it('answers a command with wrong words, and one on a session without messages, with a text', async () => {
      const id = await editor.begin(bench.folder);
      await editor.prompt(id, '/context');
      expect(textOf(editor.of('agent_message_chunk', id))).toContain('this session has none yet');
      await editor.prompt(id, 'greet');
      await editor.prompt(id, '/pin m99');
      await editor.prompt(id, '/recall');
      const said = textOf(editor.of('agent_message_chunk', id));
      expect(said).toContain('has no message "m99"');
      expect(said).toContain('Name words to find: /recall timeout');
    });
  });

  describe('bad input', () => {
    it('answers lines that are not messages with errors, and stays open', async () => {
      for (const line of ['not json', '[]', '42', '{"jsonrpc":"1.0","id":1,"method":"x"}', ''])
        await editor.write(line);
      const id = await editor.begin(bench.folder);
      expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
      for (const problem of editor.schema.problems.splice(0)) expect(problem).toContain('"id":null');
    });

    it('refuses unknown methods, unknown sessions and wrong parameters', async () => {
      const { agent } = editor;
      await expect(agent.request('session/dance', {})).rejects.toMatchObject({ code: -32601 });
      await agent.notify('session/dance', {});
      for (const problem of editor.schema.problems.splice(0)) expect(problem).toContain('session/dance');
      await expect(editor.prompt('none', 'greet')).rejects.toMatchObject({
        code: -32002,
        message: expect.stringContaining('is not open'),
      });
      await editor.cancel('none');
      const load = { sessionId: 'none', cwd: bench.folder, mcpServers: [] };
      await expect(agent.request(session.load, load)).rejects.toMatchObject({ code: -32002 });
      const fresh = (cwd: string) => agent.request(session.new, { cwd, mcpServers: [] });
      await expect(fresh('relative')).rejects.toMatchObject({ code: -32602 });
      await expect(fresh(join(bench.folder, 'missing'))).rejects.toMatchObject({ code: -32602 });
      await expect(agent.request<unknown>(session.new, { cwd: 7 })).rejects.toMatchObject({ code: -32602 });
      editor.schema.problems.length = 0;
      const id = await editor.begin(bench.folder);
      await expect(agent.request(session.setMode, { sessionId: id, modeId: 'nobody' })).rejects.toMatchObject(
        {
          data: { code: 'unknown_agent' },
        },
      );
      await expect(
        agent.request(session.setConfigOption, { sessionId: id, configId: 'mood', value: 'good' }),
      ).rejects.toMatchObject({ code: -32602 });
      await expect(
        agent.request(session.setConfigOption, { sessionId: id, configId: 'model', value: 'local/scriptd' }),
      ).rejects.toMatchObject({ data: { code: 'window_unknown' } });
      expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
      await expect(agent.request(session.list, { cursor: 'none' })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('The cursor is not valid'),
      });
    });

    it('loads a session only in its folder', async () => {
      const id = await editor.begin(bench.folder);
      await editor.prompt(id, 'greet');
      const other = join(bench.bench.root, 'other');
      await mkdir(other);
      await expect(
        editor.agent.request(session.load, { sessionId: id, cwd: other, mcpServers: [] }),
      ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(bench.folder) });
    });

    it('refuses content that no model can get, before anything is stored', async () => {
      const id = await editor.begin(bench.folder);
      const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' }) as const;
      await expect(editor.prompt(id, image('not base64!'))).rejects.toMatchObject({ code: -32602 });
      await expect(
        editor.prompt(id, { type: 'image', data: 'AAAA', mimeType: 'text/plain' }),
      ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('image/') });
      await expect(editor.prompt(id, image('A'.repeat(30_000_000)))).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('At most 20 MB'),
      });
      await expect(
        editor.prompt(id, { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }),
      ).rejects.toMatchObject({ code: -32602 });
      await expect(editor.prompt(id)).rejects.toMatchObject({ code: -32602 });
      expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
    });

    it('sends images, embedded files and links to the model', async () => {
      const id = await editor.begin(bench.folder);
      const uri = `file://${encodeURI(join(bench.folder, 'a b.txt'))}`;
      const pixel = (await readFile(new URL('./pixel.png', import.meta.url))).toString('base64');
      await editor.prompt(
        id,
        'greet',
        { type: 'image', data: pixel, mimeType: 'image/png' },
        { type: 'resource', resource: { uri, text: 'its text' } },
        { type: 'resource_link', uri, name: 'a b.txt' },
      );
      expect(bench.prompts.at(-1)).toContain('<file path="a b.txt">\nits text\n</file>');
      expect(bench.prompts.at(-1)).toContain('[a b.txt](a b.txt)');
      editor.updates.length = 0;
      await editor.agent.request(session.load, { sessionId: id, cwd: bench.folder, mcpServers: [] });
      expect(editor.of('user_message_chunk', id)).toContainEqual(
        expect.objectContaining({ content: { type: 'image', data: pixel, mimeType: 'image/png' } }),
      );
    });
  });
});

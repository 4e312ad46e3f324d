import { writeFile } from 'node:fs/promises';
import { hasToolCall, lastUserText, type Script } from '@longhaul/scripted-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from '../harness.ts';
import { Editor } from './editor.ts';

/** Answers by the words of the last user message. */
const script: Script = ({ messages }) => {
  const text = lastUserText(messages);
  if (text.includes('greet')) return { reasoning: 'They greet.', text: 'Hello there.' };
  if (text.includes('make a file') && !hasToolCall(messages, 'write'))
    return {
      text: 'I write it.',
      toolCalls: [{ name: 'write', arguments: { path: 'made.txt', content: 'one\ntwo\n' } }],
    };
  if (text.includes('wait') && !hasToolCall(messages, 'bash'))
    return { toolCalls: [{ name: 'bash', arguments: { command: 'echo begun; sleep 600' } }] };
  return 'Done.';
};

describe('longhaul acp', () => {
  let bench: Bench;
  let editor: Editor;

  beforeAll(async () => {
    bench = await Bench.open();
    const { flags } = await bench.serve({ script });
    const [, model = '', , url = ''] = flags;
    await writeFile(
      bench.userFile,
      `model: local/${model.split('/')[1]}\nproviders:\n  local: { kind: openai-compatible, baseUrl: "${url}", models: { scripted: { window: 16000 } } }\n`,
    );
    editor = await Editor.open(bench, { args: ['--sandbox', 'local'] });
  });
  afterAll(async () => {
    await editor[Symbol.asyncDispose]();
    const { code, stdout, stderr } = await editor.ended;
    await bench[Symbol.asyncDispose]();
    expect(editor.schema.problems).toEqual([]);
    expect(stderr).toBe('');
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(code).toBe(0);
  });

  it('streams reasoning and text of an answer, and ends the turn', async () => {
    const id = await editor.begin(bench.workspace);
    expect(await editor.prompt(id, 'Please greet me')).toEqual({ stopReason: 'end_turn' });
    const updates = editor.updates.filter(({ sessionId }) => sessionId === id).map(({ update }) => update);
    const kinds = new Set(updates.map(({ sessionUpdate }) => sessionUpdate));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'agent_thought_chunk',
        'agent_message_chunk',
        'usage_update',
        'session_info_update',
      ]),
    );
    expect(editor.text).toContain('Hello there.');
  });

  it('shows a written file as a diff', async () => {
    const id = await editor.begin(bench.workspace);
    await editor.prompt(id, 'make a file');
    const path = `${bench.workspace}/made.txt`;
    expect(editor.of('tool_call')).toContainEqual(
      expect.objectContaining({ kind: 'edit', status: 'pending', locations: [{ path }] }),
    );
    expect(editor.of('tool_call_update')).toContainEqual(
      expect.objectContaining({
        status: 'completed',
        content: [{ type: 'diff', path, oldText: null, newText: 'one\ntwo\n' }],
      }),
    );
  });

  it('cancels a running command, and answers the prompt with cancelled', async () => {
    const id = await editor.begin(bench.workspace);
    const prompt = editor.prompt(id, 'wait for me');
    await editor.until(() =>
      editor.of('tool_call_update').some((update) => JSON.stringify(update.content ?? '').includes('begun')),
    );
    await editor.cancel(id);
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect(await editor.prompt(id, 'greet')).toEqual({ stopReason: 'end_turn' });
  });
});

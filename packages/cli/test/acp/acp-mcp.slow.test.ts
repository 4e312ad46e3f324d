import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { textOf } from './editor.ts';
import { EditorBench } from './editor-bench.ts';

const lively = fileURLToPath(new URL('../../../mcp/test/lively-server.ts', import.meta.url));
const asking = fileURLToPath(new URL('../../../mcp/test/asking-server.ts', import.meta.url));
const servers = { lively: { command: process.execPath, args: [lively] } };

it('shows MCP servers in an editor, offers their prompts, and reads what a prompt of the person names', async () => {
  await using bench = await EditorBench.open(`mcp: ${JSON.stringify({ servers })}\n`);
  const editor = await bench.editor();
  const id = await editor.begin(bench.folder);
  await editor.prompt(id, '/mcp');
  expect(textOf(editor.of('agent_message_chunk', id))).toContain('lively  not started yet');
  await editor.prompt(id, 'greet @lively:demo://note');
  expect(bench.prompts.at(-1)).toContain('Buy milk.');
  const offered = () =>
    editor.of('available_commands_update', id).flatMap(({ availableCommands }) => availableCommands);
  await editor.until(() => offered().some(({ name }) => name === 'lively:greet'));
  expect(offered()).toContainEqual({
    name: 'lively:greet',
    description: 'Greets somebody.',
    input: { hint: 'who=… [how=…]' },
  });
  await editor.prompt(id, '/lively:greet who=Ada how=loudly');
  expect(bench.prompts.at(-1)).toContain('Greet Ada loudly.');
  await editor.prompt(id, '/mcp');
  expect(textOf(editor.of('agent_message_chunk', id))).toContain('lively  ready');
});

describe('a question of a server that needs a text', () => {
  const config = {
    approvals: [{ tool: 'asking_*', action: 'allow' }],
    mcp: { servers: { asking: { command: process.execPath, args: [asking] } } },
  };
  const lines = Object.entries(config).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  const open = () => EditorBench.open(lines.join(''));

  it('is a form in an editor that has forms', async () => {
    await using bench = await open();
    const capabilities = { elicitation: { form: {} } };
    const content = { who: 'Ada', size: 'large' };
    const editor = await bench.editor({ capabilities, fill: async () => ({ action: 'accept', content }) });
    const id = await editor.begin(bench.folder);
    await editor.prompt(id, 'order a pizza');
    const [call] = editor.of('tool_call', id);
    expect(editor.forms).toEqual([
      {
        mode: 'form',
        sessionId: id,
        toolCallId: call?.toolCallId,
        message: expect.stringContaining('The MCP server asking asks: Order a pizza?'),
        requestedSchema: {
          type: 'object',
          properties: {
            who: { type: 'string', title: 'Name: who gets it' },
            count: { type: 'integer', title: 'count', default: 1 },
            size: { type: 'string', title: 'size', enum: ['small', 'large'] },
          },
          required: ['who', 'size'],
        },
      },
    ]);
    const result = JSON.stringify(editor.of('tool_call_update', id));
    expect(result).toContain('Ada');
    expect(editor.questions).toEqual([]);
  });

  it('is declined in an editor without forms, and the chat says so', async () => {
    await using bench = await open();
    const editor = await bench.editor();
    const id = await editor.begin(bench.folder);
    await editor.prompt(id, 'order a pizza');
    const shown = textOf(editor.of('agent_message_chunk', id));
    expect(shown).toContain(
      'A question of the MCP server asking was declined, because this editor has no forms',
    );
    expect(shown).toContain('`Order a pizza?`');
    expect(JSON.stringify(editor.of('tool_call_update', id))).toContain('the editor cannot ask for texts');
    expect(editor.forms).toEqual([]);
  });
});

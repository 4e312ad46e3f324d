import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { textOf } from './editor.ts';
import { EditorBench } from './editor-bench.ts';

const lively = fileURLToPath(new URL('../../../mcp/test/lively-server.ts', import.meta.url));
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

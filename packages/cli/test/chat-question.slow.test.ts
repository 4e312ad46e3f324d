import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { lastUserText, type Script, toolResults } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { lacksTmux } from './machine.ts';
import { TmuxWindow } from './tmux.ts';

const program = fileURLToPath(new URL('../../mcp/test/asking-server.ts', import.meta.url));

/** Calls the tool of `call X`, and then repeats what it has returned. */
const script: Script = ({ messages }) => {
  if (messages.at(-1)?.role === 'tool') return `Returned: ${toolResults(messages).at(-1)?.result}`;
  const [, name] = /call (\w+)/.exec(lastUserText(messages)) ?? [];
  return name === undefined ? 'Nothing to do.' : { toolCalls: [{ name, arguments: {} }] };
};

/** A terminal with a chat whose server asks questions. */
async function openChat() {
  const bench = await Bench.open();
  const { server, flags } = await bench.serve({ script, windowTokens: 100_000 });
  const asking = { command: process.execPath, args: [program], sampling: true };
  const approvals = [{ tool: 'asking_*', action: 'allow' }];
  await writeFile(bench.userFile, JSON.stringify({ approvals, mcp: { servers: { asking } } }));
  const window = await TmuxWindow.open(bench, ['chat', '--sandbox', 'local', ...flags], { columns: 100 });
  await window.saw(/^›/m);
  await window.lost('starting');
  return {
    window,
    /** The results of tools in the requests to the model. */
    sent: () => server.requests.map(({ body }) => JSON.stringify(body)).join('\n'),
    async [Symbol.asyncDispose]() {
      await window[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(lacksTmux !== undefined)('a question of an MCP server in the chat', () => {
  it('asks for one value after another, and explains a value that does not fit', async () => {
    await using chat = await openChat();
    const { window } = chat;
    await window.enter('Please call asking_order');
    await window.saw('? The MCP server asking asks');
    await window.saw('Order a pizza?');
    await window.saw('? Answer asking');
    await window.saw('Name: who gets it (a text)');
    await window.press('Enter');
    await window.saw('who needs a value.');
    await window.enter('Ada');
    await window.saw('count (a whole number');
    await window.enter('two');
    await window.saw('count must be a whole number.');
    await window.enter('2');
    await window.saw('size (one of small, large)');
    await window.enter('large');
    await window.saw('Returned:');
    await window.lost('? Answer asking');
    expect(chat.sent()).toMatch(/accept.*Ada.*large/);
  });

  it('is declined with Esc', async () => {
    await using chat = await openChat();
    const { window } = chat;
    await window.enter('Please call asking_confirm');
    await window.saw('? Answer asking');
    await window.press('Escape');
    await window.saw('Returned:');
    expect(chat.sent()).toContain('the person declined');
  });

  it('shows what the model would get, before the server may use it', async () => {
    await using chat = await openChat();
    const { window } = chat;
    await window.enter('Please call asking_model');
    await window.saw('? Allow mcp_sampling:asking');
    await window.saw('question: Hello');
    await window.press('n');
    await window.saw('Returned:');
    expect(chat.sent()).toContain('Longhaul did not call the model');
    await window.enter('Please call asking_model again');
    await window.saw('? Allow mcp_sampling:asking');
    await window.press('y');
    await window.saw('The MCP server asking has used the model');
  });
});

import { writeFile } from 'node:fs/promises';
import type { Script, ScriptAnswer, ScriptRequest } from '@longhaul/scripted-model';
import { lastUserText, toolResults } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { lacksTmux } from './machine.ts';
import { TmuxWindow, type WindowOptions } from './tmux.ts';

/** An answer of many words that differ, so that a lost one is noticed. */
const WORDS = Array.from({ length: 600 }, (_, index) => `w${index}`).join(' ');

/** Answers by the last message of the person. */
const script: Script = (request) => {
  if (request.asksForSummary) return 'The summary of the old part.';
  const said = lastUserText(request.messages);
  const [, scenario] = Object.entries(SCENARIOS).find(([word]) => said.includes(word)) ?? [];
  return scenario?.(request) ?? `You said: ${said.slice(0, 60)}.`;
};

const SCENARIOS: Record<string, (request: ScriptRequest) => ScriptAnswer> = {
  stream: () => WORDS,
  hang: () => ({ text: 'Begun. '.repeat(20), fault: { kind: 'silence', afterChunks: 10 } }),
  ask: (request) => afterCall(request, { name: 'bash', arguments: { command: 'echo ran > ran.txt' } }),
  sleep: (request) => afterCall(request, { name: 'bash', arguments: { command: 'echo begun; sleep 600' } }),
  write: (request) =>
    afterCall(request, { name: 'write', arguments: { path: 'made.txt', content: 'made\n' } }),
  count: (request) => afterCall(request, { name: 'bash', arguments: { command: 'seq 1 300' } }),
  evil: () => ({ text: `${EVIL}\n\nThe end.` }),
};

const EVIL = '\u001b[2J\u001b]0;stolen\u0007\u001b]52;c;aGk=\u0007\u009b31m\u202e';

function afterCall(
  request: ScriptRequest,
  call: { name: string; arguments: Record<string, string> },
): ScriptAnswer {
  const results = toolResults(request.messages);
  return request.messages.at(-1)?.role === 'tool'
    ? `The call returned: ${results.at(-1)?.result.slice(0, 40) ?? ''}. Done.`
    : { text: 'I call a tool.', toolCalls: [call] };
}

interface Opening extends WindowOptions {
  args?: readonly string[];
  asks?: boolean;
}

/** A bench with a model whose answers stream at 200 deltas a second, and a terminal with a chat. */
async function openBench() {
  const bench = await Bench.open();
  const { server, flags } = await bench.serve({ script, chunkChars: 5, chunkDelayMs: 5 });
  const open = async ({ args = [], asks = false, ...options }: Opening = {}) => {
    await writeFile(bench.userFile, `approvals:\n  - { tool: "*", action: ${asks ? 'ask' : 'allow'} }\n`);
    const window = await TmuxWindow.open(bench, ['chat', '--sandbox', 'local', ...flags, ...args], options);
    await window.saw(/^›/m);
    return window;
  };
  /** The bodies of the requests, as text. */
  const sent = () => server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
  return { bench, server, flags, open, sent, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() };
}

describe.skipIf(lacksTmux !== undefined).each([
  [80, 24],
  [200, 50],
])('longhaul chat at %d×%d', (columns, rows) => {
  it('shows the answer whole while a message is typed, which arrives whole', async () => {
    await using place = await openBench();
    await using window = await place.open({ columns, rows });
    await window.enter('Please stream');
    await window.saw('w20');
    const typed = Array.from({ length: 30 }, (_, index) => `t${index}`).join(' ');
    for (const word of typed.split(/(?<= )/)) await window.type(word);
    await window.press('Enter');
    await window.saw(/▹ t0 t1/);
    await window.saw('You said: t0 t1');
    const text = (await window.history()).replace(/\s+/g, ' ');
    expect(text).toContain(WORDS);
    expect(text).toContain(`› ${typed}`);
    expect(place.sent()).toContain(typed);
  });
});

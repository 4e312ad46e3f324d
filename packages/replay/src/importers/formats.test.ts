import { buildLedger, countByClasses } from '@longhaul/context/engine';
import { describe, expect, it } from 'vitest';
import { outline, readFixture } from '../../test/support.ts';
import { readSession } from './import-session.ts';

function read(name: string) {
  const { messages, report } = readSession(readFixture(name));
  return { messages, report, lines: outline(messages) };
}

describe('Claude Code', () => {
  const { messages, report, lines } = read('claude-code.jsonl');

  it('makes one message from the rows of a response, with each result in its call', () => {
    expect(report.format).toBe('claude-code');
    expect(lines).toEqual([
      'user: notice <local-command-caveat>Caveat: local commands follow.</local-command-caveat>',
      'user: The cart total is wrong. Fix src/cart.ts.',
      'assistant: reasoning Look first. | I will read the file. | Read{"file_path":"src/cart.ts"} completed → export const total = 1;\u2028export {}; | Bash{"command":"npm test"} error → 1 failed, image',
      'user: Mind the tax, too.',
      'user (summary): notice This session is being continued. Summary: the cart.',
      'assistant: Edit{"file_path":"src/cart.ts"} interrupted → ',
      'user: notice [Request interrupted by user for tool use]',
      'user: notice [Result of the call toolu_99, which is not in the recording]\nof a call that is not here',
      'assistant: Done.',
    ]);
  });

  it('counts the usage of a response once, with cached tokens as input', () => {
    expect(messages[2]?.usage).toEqual({
      inputTokens: 100,
      outputTokens: 7,
      reasoningTokens: 0,
      cacheReadTokens: 85,
      cacheWriteTokens: 5,
      totalTokens: 107,
    });
    expect(messages[2]?.model).toBe('anthropic/claude-sonnet-4-5');
    expect(messages[2]?.parts[0]).toMatchObject({ providerMetadata: { anthropic: { signature: 'c2ln' } } });
  });

  it('marks messages that no user wrote as injected', () => {
    expect(messages.map((message) => message.metadata?.synthetic)).toEqual([
      'injected',
      undefined,
      undefined,
      undefined,
      'injected',
      undefined,
      'injected',
      'injected',
      undefined,
    ]);
  });

  it('reports the place of a compaction, and skipped rows', () => {
    expect(report.compactions).toEqual([
      {
        afterSequence: 4,
        summary: 'This session is being continued. Summary: the cart.',
        tokensBefore: 1234,
      },
    ]);
    expect(report.summaryTitle).toBe('Fix the cart total');
    expect(report.skipped).toEqual([
      { where: 'line 9', reason: 'rows of subagents (sidechains)', count: 1 },
      { where: 'line 16', reason: 'results without their call: kept as notices', count: 1 },
    ]);
  });

  it('reads the file of a subagent, whose rows are all sidechains', () => {
    const rows = [
      {
        type: 'user',
        uuid: 'a',
        agentId: 'x1',
        isSidechain: true,
        message: { role: 'user', content: 'Look.' },
      },
      {
        type: 'user',
        uuid: 'b',
        agentId: 'x2',
        isSidechain: true,
        message: { role: 'user', content: 'Else.' },
      },
    ];
    const { messages } = readSession(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(outline(messages)).toEqual(['user: Look.']);
  });
});

describe('Codex', () => {
  it('ends a step at the first answer after a result', () => {
    const { messages, report, lines } = read('codex.jsonl');
    expect(lines).toEqual([
      'user: notice <environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>',
      'user: Add a test for the cart.',
      'assistant: reasoning See what is there. | I look around. | shell{"command":["ls"]} completed → src\ntest | shell{"command":["pwd"] error → bad arguments',
      'assistant: web_search{"type":"search","query":"vitest each"} completed →  | apply_patch{"input":"*** Begin Patch"} completed → Success',
      'user (summary): notice A test was added.',
      'assistant: Done.',
    ]);
    expect(messages[2]?.usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 40, outputTokens: 9 });
    expect(report.systemText).toBe('You are a coding agent.\n\nBe brief.');
    expect(report.compactions).toEqual([{ afterSequence: 4, summary: 'A test was added.' }]);
    expect(report.model).toBe('openai/gpt-5');
  });

  it('reads the first version, whose rows had no envelope', () => {
    const { report, lines } = read('codex-first-version.jsonl');
    expect(report.format).toBe('codex');
    expect(lines).toEqual([
      'user: Say hello.',
      'assistant: shell{"command":["echo","hello"]} completed → {"output":"hello\\n"}',
      'assistant: Hello.',
    ]);
  });
});

describe('pi', () => {
  it('reads a list (version 1)', () => {
    const { messages, report, lines } = read('pi-v1.jsonl');
    expect(lines).toEqual([
      'user: Count the files.',
      'assistant: reasoning Easy. | Counting. | bash{"command":"ls | wc -l"} error → 7 | bash{"command":"find . | wc -l"} completed → 42',
      'user: notice Ran `ls`\nsrc\n\n(exit code 2)',
      'user (summary): notice Seven files.',
      'assistant: bash{"command":"sleep 9"} interrupted →  | notice Request was aborted.',
      'assistant: Seven.',
    ]);
    expect(messages[1]).toMatchObject({ cost: 0.5, finishReason: 'tool-calls', usage: { inputTokens: 100 } });
    expect(messages[4]?.status).toBe('interrupted');
    expect(report.compactions).toEqual([{ afterSequence: 3, summary: 'Seven files.', tokensBefore: 99 }]);
  });

  it('reads all branches of a tree (version 3) in the order of the file', () => {
    const { report, lines } = read('pi-v3.jsonl');
    expect(lines).toEqual([
      'user: Count the files.',
      'assistant: bash{"command":"ls"} completed → src',
      'user: notice The first way looked at src.',
      'assistant: One.',
    ]);
    expect(report).toMatchObject({ branches: 1, title: 'Count files', sourceId: 'pi-3' });
  });
});

describe('OpenCode', () => {
  it('splits a message at its steps, and keeps an output that OpenCode removed from the prompt', () => {
    const { messages, report, lines } = read('opencode.json');
    expect(lines).toEqual([
      'user: Rename the cart. | file image/png | notice Called the Read tool',
      'assistant: reasoning Find it. | grep{"pattern":"cart"} completed → src/cart.ts:1 | read{"filePath":"cart"} error → no such file',
      'assistant: It is in src/cart.ts. | bash{"command":"npm test"} interrupted → ',
      'user (summary): notice The cart is renamed.',
    ]);
    expect(messages[1]?.parts[1]).toMatchObject({ metadata: { exitCode: 0, clearedAt: 1767600009000 } });
    expect(messages.map((message) => message.usage?.inputTokens)).toEqual([undefined, 20, 50, undefined]);
    expect(report).toMatchObject({
      title: 'Rename the cart',
      workspace: '/home/dev/shop',
      model: 'openai/gpt-5',
    });
  });
});

describe('mini-swe-agent', () => {
  it('uses the submitted text as the result of the last call', () => {
    const { messages, report, lines } = read('mini-swe-agent.traj.json');
    expect(lines).toEqual([
      'user: Fix the bug.',
      'assistant: Look. | bash{"command":"ls"} completed → <returncode>1</returncode>',
      'assistant: Submit. | bash{"command":"echo DONE"} completed → diff --git a/x b/x',
    ]);
    expect(messages[1]).toMatchObject({
      createdAt: 1767600000500,
      usage: { inputTokens: 30, cacheReadTokens: 20 },
    });
    expect(messages[1]?.parts[1]).toMatchObject({ metadata: { exitCode: 1 } });
    expect(report).toMatchObject({ title: 'shop-1', model: 'deepseek-chat' });
  });

  it('reads actions from fenced blocks', () => {
    expect(read('mini-swe-agent-fenced.traj.json').lines).toEqual([
      'user: Fix the bug.',
      'assistant: THOUGHT: look. | bash{"command":"ls -la"} completed → <returncode>0</returncode>\nsrc',
      'assistant: THOUGHT: no block here.',
      'user: Please give one action.',
    ]);
  });
});

describe('SWE-agent', () => {
  it('reads the history, without its demonstrations', () => {
    const { report, lines } = read('swe-agent.traj');
    expect(report.format).toBe('swe-agent');
    expect(lines).toEqual([
      'user: Fix the bug.',
      'assistant: Look. | bash{"command":"ls"} completed → OBSERVATION:\nsrc',
      'assistant: Submit. | bash{"command":"submit"} completed → submitted',
    ]);
  });

  it('reads the steps of a file that was cut before its history', () => {
    expect(read('swe-agent-without-history.traj').lines).toEqual([
      'user: Fix the bug.',
      'assistant: Look. | bash{"command":"ls"} completed → src',
      'assistant: Submit. | bash{"command":"submit"} completed → ok',
    ]);
  });
});

describe('OpenHands', () => {
  it('joins observations to the actions that caused them; calls of one response are one step', () => {
    const { messages, report, lines } = read('openhands.jsonl');
    expect(lines).toEqual([
      'user: Fix the bug.',
      'assistant: recall{"recall_type":"workspace_context","query":"Fix the bug."} completed → Added workspace context',
      'assistant: Look. | execute_bash{"command":"ls"} completed → a.ts | str_replace_editor{"path":"/shop/a.ts"} completed → const a = 1;',
      'assistant: think{"thought":"It is a constant."} completed → Logged.',
      'assistant: All done. | finish{"final_thought":"Fixed."} completed → ',
    ]);
    expect(messages[2]?.parts[1]).toMatchObject({ callId: 't1', metadata: { exitCode: 3 } });
    expect(messages[2]?.usage?.inputTokens).toBe(50);
    expect(report.skipped.map(({ reason }) => reason)).toContain('further sessions in the same file');
  });
});

describe('chat messages', () => {
  it('separates calls with the same id, because some servers reuse ids in each response', () => {
    const { messages, report, lines } = read('chat-messages.json');
    expect(lines).toEqual([
      'user: What is in this picture? | file image/jpeg | [image_url at https://example.com/a.png]',
      'assistant: reasoning Look. | look{"at":"it"} completed → a cart',
      'assistant: look{"at":"it"} completed → a cart, still',
      'assistant: saynot json completed → said',
      'assistant: A cart.',
    ]);
    const ids = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : [])),
    );
    expect(ids).toEqual(['call_0', 'call_0#2', 'call-say']);
    expect(report).toMatchObject({ format: 'chat-messages', systemText: 'Be kind.' });
  });

  it('reads a bare list, and one message a line', () => {
    const rows = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ];
    const expected = ['user: Hello', 'assistant: Hi'];
    expect(outline(readSession(JSON.stringify(rows)).messages)).toEqual(expected);
    expect(outline(readSession(rows.map((row) => JSON.stringify(row)).join('\n')).messages)).toEqual(
      expected,
    );
  });
});

describe('an export of Longhaul', () => {
  it('keeps the ids of messages and marks, and closes open parts', () => {
    const { messages, report, lines } = read('longhaul.json');
    expect(lines).toEqual([
      'user: Fix it.',
      'assistant: Yes. | bash{"command":"ls"} completed → src | bash{"command":"pwd"} interrupted → ',
      'user: Go on.',
    ]);
    expect(messages.map(({ id }) => id.slice(-1))).toEqual(['1', '2', '3']);
    expect(messages[1]?.status).toBe('interrupted');
    expect(report.marks.map(({ kind }) => kind)).toEqual(['compaction']);
    expect(report.compactions).toEqual([{ afterSequence: 2, summary: 'Files: src', tokensBefore: 90 }]);
    expect(report.skipped.map(({ reason }) => reason)).toEqual([
      'messages with wrong or missing fields',
      'marks with wrong fields, or on unknown messages',
    ]);
  });
});

it('keeps the facts that the model keeps, and the reason of its compactions', () => {
  const call = { type: 'tool', callId: 'c', name: 'todo', input: {}, state: 'completed' };
  const message = { sessionId: 's', status: 'done', createdAt: 1, tokenCount: 1 };
  const part = {
    ...call,
    output: [{ type: 'text', text: '[ ] next' }],
    metadata: { keep: ['the port is 8443'] },
  };
  const compaction = { kind: 'compaction', id: 'c1', sessionId: 's', round: 1, strategy: 'x', createdAt: 3 };
  const sizes = { tokensBefore: 9, tokensAfter: 1, summary: { ledger: '', narrative: '' }, hides: ['m2'] };
  const { messages, report } = readSession(
    JSON.stringify({
      format: 'longhaul-session',
      version: 1,
      session: { id: 's' },
      messages: [
        {
          ...message,
          id: 'm1',
          sequence: 1,
          role: 'user',
          parts: [{ type: 'text', text: 'Go.', state: 'done' }],
        },
        { ...message, id: 'm2', sequence: 2, role: 'assistant', parts: [part] },
      ],
      marks: [{ ...compaction, ...sizes, reason: 'model' }],
    }),
  );
  expect(buildLedger(messages, { maxTokens: 500, count: countByClasses })).toContain('- the port is 8443');
  expect(report.marks).toMatchObject([{ reason: 'model' }]);
});

it('renumbers the reverts of an export whose messages without parts are left out', () => {
  const message = (sequence: number) => ({
    id: `m${sequence}`,
    sessionId: 's',
    sequence,
    role: 'assistant',
    parts: sequence === 2 ? [] : [{ type: 'text', text: `t${sequence}`, state: 'done' }],
    status: 'done',
    createdAt: sequence,
    tokenCount: 1,
  });
  const revert = { kind: 'revert', id: 'r', at: 4, to: 3, createdAt: 9 };
  const { messages, report } = readSession(
    JSON.stringify({
      format: 'longhaul-session',
      version: 1,
      session: { id: 's' },
      messages: [1, 2, 3, 4].map(message),
      marks: [revert],
    }),
  );
  expect(messages.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect(report.marks).toEqual([{ ...revert, at: 3, to: 2 }]);
});

describe('a document', () => {
  it.each([
    'opencode.json',
    'mini-swe-agent.traj.json',
    'mini-swe-agent-fenced.traj.json',
    'swe-agent.traj',
    'chat-messages.json',
    'longhaul.json',
  ])('%s gives the same messages in one line, in many lines, and after another field', (name) => {
    const value = JSON.parse(readFixture(name).toString());
    const lines = read(name).lines;
    expect(outline(readSession(JSON.stringify(value)).messages)).toEqual(lines);
    expect(outline(readSession(JSON.stringify(value, null, 4)).messages)).toEqual(lines);
    expect(outline(readSession(JSON.stringify({ type: 'log', ...value })).messages)).toEqual(lines);
  });
});

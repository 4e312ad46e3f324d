import { describe, expect, it } from 'vitest';
import { outline, readFixture } from '../../test/support.ts';
import { readSession } from './import-session.ts';
import { partialProblem } from './partial.ts';

function read(name: string) {
  const { messages, report } = readSession(readFixture(name));
  expect(partialProblem(report)).toBeUndefined();
  return { messages, report, lines: outline(messages), reasons: report.skipped.map(({ reason }) => reason) };
}

describe('Copilot', () => {
  const { report, lines, reasons } = read('copilot.jsonl');

  it('reads answers with their results, without the rows of subagents', () => {
    expect(lines).toEqual([
      'user: notice <current_datetime>2026-02-03</current_datetime>\n\n | Fix the tax. | notice \n\n<system_reminder>Tables: todos</system_reminder>',
      'assistant: reasoning The file first. | I look. | view{"path":"src/tax.ts"} completed → const taxRate = 0.2; | bash{"command":"npm test"} error → 1 failed',
      'user: notice <system_notification>The server has stopped.</system_notification>',
      'user (summary): notice <overview>The tax is wrong.</overview>',
      'user: notice <system_reminder>Go on.</system_reminder>',
      'assistant: Done.',
    ]);
    expect(reasons).toContain('rows of subagents');
  });

  it('reads the session, its model, its compaction, and the system text once', () => {
    expect(report).toMatchObject({
      format: 'copilot',
      model: 'gpt-5',
      workspace: '/home/dev/shop',
      systemText: 'You help in a terminal.',
      firstUserText: 'Fix the tax.',
      compactions: [{ tokensBefore: 1234, summary: '<overview>The tax is wrong.</overview>' }],
    });
  });
});

describe('Gemini CLI', () => {
  it('reads a chat with thoughts, results and failures', () => {
    const { messages, report, lines } = read('gemini-cli.json');
    expect(lines).toEqual([
      'user: Fix the tax.',
      'assistant: reasoning Reading\nThe file first. | I look. | read_file{"file_path":"src/tax.ts"} completed → const taxRate = 0.2;',
      'assistant: run_shell_command{"command":"npm test"} error → Cancelled by the user',
      'assistant: Done.',
    ]);
    expect(messages[1]?.usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 60, outputTokens: 10 });
    expect(report).toMatchObject({ format: 'gemini-cli', model: 'gemini-3-pro' });
  });

  it('reads a message once that is written again with the results of its calls', () => {
    const { report, lines } = read('gemini-cli.jsonl');
    expect(lines).toEqual([
      'user: Fix the tax.',
      'assistant: I look. | read_file{"file_path":"src/tax.ts"} completed → const taxRate = 0.2;',
      'assistant: Done.',
    ]);
    expect(report).toMatchObject({ title: 'Fix the tax rate', workspace: '/home/dev/shop' });
  });

  it('joins the pieces of a text of the stream', () => {
    expect(read('gemini-stream.jsonl').lines).toEqual([
      'user: Fix the tax.',
      'assistant: I look. | read_file{"file_path":"src/tax.ts"} completed → const taxRate = 0.2;',
      'assistant: run_shell_command{"command":"npm test"} error → 1 failed',
      'assistant: Done.',
    ]);
  });
});

describe('ATIF', () => {
  const { messages, report, lines } = read('atif.json');

  it('reads steps with their results, also results without an id, and no subagents', () => {
    expect(lines).toEqual([
      'user: Fix the tax.',
      'assistant: reasoning The file first. | I look. | read{"path":"src/tax.ts"} completed → const taxRate = 0.2; | bash{"command":"npm test"} completed → 1 failed',
      'assistant: edit{"path":"src/tax.ts"} completed → Changed.',
      'assistant: Done.',
    ]);
  });

  it('reads the model, the usage and the system text', () => {
    expect(report).toMatchObject({ format: 'atif', model: 'a-provider/a-model', systemText: 'You help.' });
    expect(messages[1]).toMatchObject({ cost: 0.01, usage: { inputTokens: 100, cacheReadTokens: 60 } });
  });
});

describe('codex exec --json', () => {
  it('makes calls of commands, MCP tools, searches, changes and plans', () => {
    const { report, lines } = read('codex-exec.jsonl');
    expect(lines).toEqual([
      'assistant: reasoning The file first. | I look. | shell{"command":"cat src/tax.ts"} completed → const taxRate = 0.2;',
      'assistant: docs.find{"query":"tax"} completed → No page.',
      'assistant: docs.find{"query":"rate"} error → Not connected',
      'assistant: web_search{"query":"tax rate"} completed → ',
      'assistant: apply_patch{"changes":[{"path":"src/tax.ts","kind":"update"}]} completed → ',
      'assistant: update_plan{"plan":[{"text":"Fix","completed":true}]} completed → ',
      'assistant: Done.',
      'assistant: shell{"command":"npm test"} interrupted → ',
    ]);
    expect(report).toMatchObject({ format: 'codex', sourceId: '44444444-0000-4000-8000-000000000001' });
  });
});

describe('SpecStory', () => {
  it('reads texts, thoughts and calls, and headers inside an output as text', () => {
    const { messages, report, lines } = read('specstory.md');
    expect(lines).toEqual([
      'user: Fix the tax.',
      'assistant: reasoning The file first. | I look.',
      'assistant: Read{"argument":"src/tax.ts"} completed → const taxRate = 0.2;\n_**User (2026-02-03 10:00:01Z)**_',
      'assistant: Write{"content":"export const taxRate = 0.19;"} completed → Written.',
      'user: Test it.',
      'assistant: Bash{"description":"Run the tests","argument":"npm test"} interrupted → ',
    ]);
    expect(report).toMatchObject({
      format: 'specstory',
      title: 'Fix the tax',
      sourceId: '55555555-0000-4000-8000-000000000001',
    });
    expect(messages[1]).toMatchObject({ model: 'a-model', createdAt: Date.parse('2026-02-03T10:00:02Z') });
  });

  it('reads the first version, whose calls have no element of their own', () => {
    expect(read('specstory-first-version.md').lines).toEqual([
      'user: Fix the tax.',
      'assistant: I look. | read_file{} interrupted →  | Read src/tax.ts | grep{"description":"taxRate"} completed → src/tax.ts:1 | Done.',
    ]);
  });
});

describe('Aider', () => {
  const { messages, report, lines } = read('aider.md');

  it('makes a call of each edit block, with the note that it was applied as its result', () => {
    expect(lines).toEqual([
      'user: Fix the tax.\nThe rate is 19 %.',
      'assistant: I change the rate. | edit{"path":"src/tax.ts","search":"const taxRate = 0.2;","replace":"const taxRate = 0.19;"} completed → Applied edit to src/tax.ts | The tests need a change, too. | edit{"path":"tests/test_tax.py","search":"","replace":"assert rate() == 0.19"} interrupted → ',
      'user: Is it done?',
      'assistant: Yes.',
    ]);
    expect(report).toMatchObject({ format: 'aider', calls: 2, results: 1 });
    expect(messages[1]).toMatchObject({
      model: 'a-provider/a-model',
      usage: { inputTokens: 5200, outputTokens: 604 },
    });
  });
});

describe('chat messages with parts', () => {
  it('reads results in blocks, and calls that are also blocks once', () => {
    expect(read('chat-tool-output.json').lines).toEqual([
      'user: Fix the tax.',
      'assistant: I look. | read{"path":"src/tax.ts"} completed → const taxRate = 0.2;',
      'assistant: bash{"command":"npm test"} completed → 1 failed',
      'assistant: Done.',
    ]);
  });
});

describe('Codex', () => {
  it('reads the answers of subagents as injected text', () => {
    const rows = [
      { type: 'session_meta', payload: { id: 'a' } },
      {
        type: 'response_item',
        payload: {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'I wait.' }],
        },
      },
      {
        type: 'response_item',
        payload: { type: 'agent_message', author: 'x', content: [{ type: 'input_text', text: 'Found it.' }] },
      },
    ];
    const { messages, report } = readSession(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(outline(messages)).toEqual(['assistant: I wait.', 'user: notice Found it.']);
    expect(report.unread).toEqual({ chars: 0, calls: 0 });
  });

  it('keeps the messages that the model saw after a compaction', () => {
    const content = [{ type: 'input_text', text: 'The tax is wrong.' }];
    const row = {
      type: 'compacted',
      payload: { message: '', replacement_history: [{ type: 'message', role: 'user', content }] },
    };
    const { report } = readSession(
      ['{"type":"session_meta","payload":{"id":"a"}}', JSON.stringify(row)].join('\n'),
    );
    expect(report.compactions).toEqual([{ afterSequence: 0, summary: '', view: 'The tax is wrong.' }]);
  });
});

describe('Claude Code', () => {
  const row = (content: object, number: number) => ({ uuid: `u${number}`, sessionId: 's', ...content });
  const user = (content: string) => ({ type: 'user', message: { role: 'user', content } });
  const session = (rows: object[]) =>
    readSession(rows.map((each, n) => JSON.stringify(row(each, n))).join('\n'));

  it('reads attached files that the model saw', () => {
    const attached = (attachment: object) => ({ type: 'attachment', attachment });
    const { messages } = session([
      user('Look.'),
      attached({ type: 'edited_text_file', filename: 'src/tax.ts', snippet: '1\tconst taxRate' }),
      attached({
        type: 'file',
        filename: 'src/a.ts',
        content: { type: 'text', file: { filePath: 'src/a.ts', content: 'const a' } },
      }),
      attached({ type: 'skill_listing', content: 'names' }),
    ]);
    expect(outline(messages)).toEqual([
      'user: Look.',
      'user: notice Changed file src/tax.ts:\n1\tconst taxRate',
      'user: notice File src/a.ts:\nconst a',
    ]);
  });

  it('takes a command that Claude Code ran itself as injected, and one that a model read as the user’s', () => {
    const command = (name: string, args = '') =>
      user(`<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`);
    const { messages, report } = session([
      command('model', 'opus'),
      user('<local-command-stdout>Set model to opus</local-command-stdout>'),
      command('review'),
      user('Be brief.'),
    ]);
    expect(messages.map((message) => message.metadata?.synthetic)).toEqual([
      'injected',
      'injected',
      undefined,
      undefined,
    ]);
    expect(report.firstUserText).toBe('/review');
  });
});

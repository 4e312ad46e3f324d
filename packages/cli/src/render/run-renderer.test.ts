import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { ZERO_USAGE } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { widthOf } from './format.ts';
import { RunRenderer } from './run-renderer.ts';

const SESSION = '0197a3c2-5e1b-7000-8000-000000000001';

function record(...payloads: EventPayload[]): LonghaulEvent[] {
  return payloads.map((payload, index) => ({ ...payload, sessionId: SESSION, at: 1_000 + index * 100 }));
}

function render(
  events: readonly LonghaulEvent[],
  options: { columns?: number; colors?: boolean } = {},
): string {
  const renderer = new RunRenderer({ columns: 80, colors: false, ...options });
  return events.map((event) => renderer.render(event)).join('');
}

const chunk = (content: string, chunkType: 'text' | 'reasoning' = 'text'): EventPayload => ({
  type: 'llm:chunk',
  chunkType,
  content,
  messageId: 'a',
  partIndex: 0,
  offset: 0,
});
const usage = (tokens: number): EventPayload => ({
  type: 'context:usage',
  tokens,
  usableTokens: 12_000,
  windowTokens: 16_000,
});
const step = (tokens: number): EventPayload[] => [usage(tokens), { type: 'llm:thinking' }];
const call = (toolName: string, args: Record<string, string>, callId = toolName): EventPayload => ({
  type: 'llm:tool-call',
  toolName,
  args,
  callId,
});
const result = (
  toolName: string,
  more: { success?: boolean; title?: string; text?: string; durationMs?: number },
): EventPayload => ({
  type: 'llm:tool-result',
  toolName,
  callId: toolName,
  success: more.success ?? true,
  sanitized: [{ type: 'text', text: more.text ?? '' }],
  title: more.title,
  durationMs: more.durationMs,
});
const finished = (more: Partial<Extract<EventPayload, { type: 'run:finished' }>> = {}): EventPayload => ({
  type: 'run:finished',
  runId: 'r',
  status: 'completed',
  stepCount: 2,
  usage: { ...ZERO_USAGE, inputTokens: 12_345, cacheReadTokens: 8_000, outputTokens: 678 },
  text: '',
  compactions: 1,
  ...more,
});

it('prints what comes in the middle of a text below the text', () => {
  const changed: EventPayload = {
    type: 'files:changed',
    before: 'a',
    after: 'b',
    files: [],
    byAgent: true,
  };
  const events = record(
    chunk('One '),
    changed,
    { type: 'queue:changed', count: 1 },
    chunk('two.'),
    ...step(1),
  );
  const text = render(events);
  expect(text).toMatch(/^One two\.\n◇ files .*\n/);
});

describe('RunRenderer', () => {
  it('shows a step: the window, the text broken at words, each call with outcome and time', () => {
    const text = render(
      record(
        { type: 'run:started', runId: 'r', task: 't', model: 'm' },
        ...step(8_400),
        chunk('I look at the configuration of the tests before I change any'),
        chunk('thing in the file that fails.'),
        call('bash', { command: 'npm test' }),
        call('read', { path: 'a.ts' }),
        { type: 'llm:response', content: '', provider: 'p', model: 'm', finishReason: 'tool-calls' },
        result('bash', {
          success: false,
          title: 'npm test (exit 1)',
          text: 'ok 1\nError: no such file\n}\n[exit code 1]',
          durationMs: 1_240,
        }),
        result('read', { durationMs: 3 }),
      ),
    );
    expect(text).toBe(
      [
        '── 1 ───────────────────────────────────────────── ctx ▓▓▓▓▓░░░░░ 53 %  8.4k/16k',
        'I look at the configuration of the tests before I change anything in the file',
        'that fails.',
        '✗ bash   npm test (exit 1)                                                 1.2 s',
        '    ok 1',
        '    Error: no such file',
        '    }',
        '✓ read   a.ts',
        '',
      ].join('\n'),
    );
  });

  it('shows compactions, pruning, retries and warnings, one line each', () => {
    const text = render(
      record(
        {
          type: 'context:compressed',
          originalTokens: 12_900,
          compressedTokens: 4_812,
          originalMessages: 31,
          compressedMessages: 7,
          strategy: 'reactive-overflow',
          reason: 'threshold',
          round: 2,
        },
        { type: 'context:pruned', prunedCount: 5, savedTokens: 21_000 },
        { type: 'llm:retry', attempt: 1, delayMs: 4_200, reason: 'The server is overloaded.' },
        { type: 'llm:retry', attempt: 2, delayMs: 8_400, reason: 'The server is overloaded.' },
        {
          type: 'llm:retry',
          attempt: 3,
          delayMs: 60_000,
          reason: 'The server is overloaded.',
          nextTryAt: new Date(2026, 0, 2, 14, 3, 7).getTime(),
        },
        { type: 'context:warning', message: 'The narrative was empty: the ledger stands alone.' },
      ),
    );
    expect(text).toBe(
      [
        '◆ compacted 12.9k → 4.8k tokens, 31 → 7 messages (reactive-overflow, round 2)',
        '◇ pruned 5 old tool outputs, 21k tokens saved',
        '↻ The server is overloaded. Try 2 in 4.2 s.',
        '↻ Try 3 in 8.4 s.',
        '↻ Try 4 in 1 min 00 s, at 14:03:07.',
        '! The narrative was empty: the ledger stands alone.',
        '',
      ].join('\n'),
    );
  });

  it('ends with the figures of the run and the command that shows it', () => {
    const events = record(
      { type: 'run:started', runId: 'r', task: 't', model: 'm' },
      finished({ cost: 0.0421 }),
    );
    const lines = render(events).split('\n');
    expect(lines.slice(1)).toEqual([
      'Done in 0.1 s',
      'work     2 steps, 1 compaction',
      'tokens   12.3k in (8k from cache), 678 out',
      'cost     $0.0421',
      `session  ${SESSION}  longhaul show 0197a3c2-5e1b`,
      '',
    ]);
  });

  it('shows why a run failed', () => {
    const error = { code: 'provider_auth', message: 'The key was refused.', retryable: false } as const;
    expect(render(record(finished({ status: 'failed', error })))).toContain(
      'Failed\nThe key was refused.\nlonghaul doctor shows which model is used, and whether a key is set.\n',
    );
  });

  it('keeps the outcome of a long command, and never exceeds the width', () => {
    const long = `node --test ${'test/some-file.test.js '.repeat(12).trim()} (exit 0)`;
    const events = record(
      ...step(100),
      chunk('日本語のテキスト'.repeat(1)),
      result('bash', { title: long, durationMs: 65_000 }),
      result('write', { success: false, title: 'ファイル'.repeat(30), text: 'x'.repeat(300) }),
    );
    for (const columns of [40, 80, 120]) {
      const lines = render(events, { columns }).split('\n');
      expect(lines.some((line) => line.includes('… (exit 0)'))).toBe(true);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('breaks at words in a narrow terminal, and keeps the handle of cut output', () => {
    const events = record(
      {
        type: 'context:compressed',
        originalTokens: 12_900,
        compressedTokens: 4_812,
        originalMessages: 31,
        compressedMessages: 7,
        strategy: 'reactive-overflow',
        reason: 'overflow',
        round: 2,
      },
      {
        ...result('bash', { title: 'seq 100000 (exit 0)', durationMs: 100 }),
        truncated: true,
        handle: 'm42.1',
      } as EventPayload,
      finished(),
    );
    const text = render(events, { columns: 40 });
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(40);
    expect(text).toContain(
      '◆ compacted 12.9k → 4.8k tokens, 31 →\n  7 messages (reactive-overflow, round\n  2, the',
    );
    expect(text).toMatch(/seq.* \[m42\.1\] +0\.1 s/);
    expect(text).toContain('tokens   12.3k in (8k from cache), 678\n         out\n');
    expect(text).toMatch(/session {2}longhaul show 0197a3c2-5e1b\n/);
  });

  it('shows one line for a step before which a smaller window was learned', () => {
    const text = render(record(usage(8_400), ...step(9_000), usage(9_100)));
    expect(text.match(/ctx/g)).toHaveLength(1);
    expect(text).toContain('9k/16k');
  });

  it('shows a message that came during the run, and not the task itself', () => {
    const came = (count: number): EventPayload => ({
      type: 'message:dequeued',
      count,
      ids: [],
      coalesced: count > 1,
    });
    expect(render(record(came(1), ...step(100)))).not.toContain('delivered');
    expect(render(record(came(1), ...step(100), came(1)))).toContain(
      '▸ delivered 1 message sent to this session\n',
    );
    expect(render(record(came(3)))).toContain('▸ delivered 2 messages');
  });

  it('shows who sent a message, also if the user sent none', () => {
    const origin = { kind: 'session', sessionId: 's2', title: 'Other' } as const;
    const came: EventPayload = {
      type: 'message:dequeued',
      count: 1,
      ids: [],
      coalesced: false,
      origins: [origin],
    };
    expect(render(record(came))).toContain('▸ delivered 1 message sent to this session by session "Other"\n');
  });

  it('has the same text with and without colours', () => {
    const events = record(
      ...step(11_900),
      chunk('Hm, '),
      chunk('so.', 'reasoning'),
      result('bash', { title: 'ls (exit 0)' }),
      finished(),
    );
    const bare = render(events, { colors: true }).replace(/\u001b\[\d+m/g, '');
    expect(bare).toBe(render(events));
  });

  it('removes control characters of models and tools, even if they arrive in pieces', () => {
    const text = render(
      record(
        chunk('a\u001b'),
        chunk(']0;title\u0007b\u009b2J\n'),
        result('bash', { title: 'echo \u001b[2J (exit 0)' }),
      ),
    );
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(text).toContain('a]0;titleb2J');
  });

  it('aligns further lines of a list with its text', () => {
    const text = render(
      record(chunk('- one two three four five six seven eight\n10. ten\nplain'), finished()),
      { columns: 40 },
    );
    expect(text).toMatch(/^- one two three four five six seven\n {2}eight\n10\. ten\nplain\n─/);
  });
});

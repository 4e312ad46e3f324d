import { describe, expect, it } from 'vitest';
import { readFixture } from '../test/support.ts';
import { stepsOf, toEvents } from './events.ts';
import { readSession } from './importers/import-session.ts';

const { messages } = readSession(readFixture('claude-code.jsonl'));
const brief = (events: ReturnType<typeof toEvents>) => events.map(({ kind, text }) => `${kind}: ${text}`);

describe('events of a session', () => {
  it('are in order, with results after all calls of their step, and without reasoning', () => {
    expect(brief(toEvents(messages.slice(1, 4)))).toEqual([
      'user: The cart total is wrong. Fix src/cart.ts.',
      'assistant: I will read the file.',
      'call: {"file_path":"src/cart.ts"}',
      'call: {"command":"npm test"}',
      'result: export const total = 1;\u2028export {};',
      'result: 1 failed',
      'user: Mind the tax, too.',
    ]);
  });

  it('have the id, the tool and the file of their call', () => {
    const events = toEvents(messages);
    expect(events.find(({ kind }) => kind === 'result')).toEqual({
      kind: 'result',
      text: 'export const total = 1;\u2028export {};',
      callId: 'toolu_1',
      name: 'Read',
      path: 'src/cart.ts',
      sequence: 3,
    });
  });

  it('omit summaries of the recorded agent unless `summaries` is set', () => {
    const summary = 'user: This session is being continued. Summary: the cart.';
    expect(brief(toEvents(messages))).not.toContain(summary);
    expect(brief(toEvents(messages, { summaries: true }))).toContain(summary);
  });

  it('have no result for a call without a result', () => {
    const kinds = toEvents(messages)
      .filter(({ callId }) => callId === 'toolu_3')
      .map(({ kind }) => kind);
    expect(kinds).toEqual(['call']);
  });

  it('form a step from each run of texts and calls', () => {
    const kinds = (
      ['user', 'assistant', 'call', 'call', 'result', 'result', 'call', 'user', 'user', 'assistant'] as const
    ).map((kind) => ({ kind }));
    expect(stepsOf(kinds)).toEqual([
      { from: 1, to: 4 },
      { from: 6, to: 7 },
      { from: 9, to: 10 },
    ]);
  });
});

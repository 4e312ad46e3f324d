import { describe, expect, it } from 'vitest';
import { createContextSession } from './context-session.ts';
import { type OpenAiChatMessage, openAiChatFormat } from './openai-chat-format.ts';
import type { ContextSession, FitSignal } from './session-types.ts';

interface Summary {
  signal: FitSignal | undefined;
  answer: (text: string) => void;
  fail: (error: Error) => void;
}

/** A session that must compact, and the summaries that it asks for. */
function sessionWithSummaries(): {
  session: ContextSession<OpenAiChatMessage>;
  next: () => Promise<Summary>;
  asked: () => number;
} {
  const waiting: ((summary: Summary) => void)[] = [];
  const summaries: Summary[] = [];
  let count = 0;
  const session = createContextSession<OpenAiChatMessage>({
    format: openAiChatFormat(),
    windowTokens: 8_000,
    maxOutputTokens: 1_000,
    strategy: {
      name: 'all-but-last',
      trigger: { kind: 'overflow' },
      plan: async ({ entries }) => ({
        hides: entries.slice(1, -1).flatMap(({ source }) => source?.id ?? []),
        marks: [],
        wantsNarrative: true,
      }),
    },
    summarise: ({ signal }) =>
      new Promise((answer, fail) => {
        count += 1;
        const summary = { signal, answer, fail };
        const wanted = waiting.shift();
        if (wanted === undefined) summaries.push(summary);
        else wanted(summary);
      }),
  });
  session.append([{ role: 'user', content: 'Count.' }]);
  for (let number = 0; number < 29; number += 1)
    session.append([
      { role: 'assistant', content: `This is number ${number} of the count.`.padEnd(900, ' And so on.') },
      { role: 'user', content: 'More.' },
    ]);
  const next = () => {
    const summary = summaries.shift();
    return summary === undefined
      ? new Promise<Summary>((wanted) => waiting.push(wanted))
      : Promise.resolve(summary);
  };
  return { session, next, asked: () => count };
}

describe('two calls of fit at the same time', () => {
  it('share one compaction', async () => {
    const { session, next, asked } = sessionWithSummaries();
    const fits = [session.fit(), session.fit(), session.fit()];
    await answerAll(next, fits);
    const alone = sessionWithSummaries();
    const fit = alone.session.fit();
    await answerAll(alone.next, [fit]);
    expect(asked()).toBe(alone.asked());
    for (const fitted of await Promise.all(fits)) {
      expect(fitted.compacted?.round).toBe(1);
      expect(fitted.messages).toEqual((await fit).messages);
    }
    expect(session.toJSON().marks.filter(({ kind }) => kind === 'compaction')).toHaveLength(1);
  });

  it('continue with the second if the first is cancelled', async () => {
    const { session, next } = sessionWithSummaries();
    const cancel = new AbortController();
    const first = session.fit({ signal: cancel.signal });
    const second = session.fit();
    const summary = await next();
    expect(summary.signal).toBe(cancel.signal);
    cancel.abort();
    summary.fail(new Error('socket closed'));
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    await answerAll(next, [second]);
    expect((await second).compacted?.round).toBe(1);
  });

  it('let the second stop waiting at once, without the first', async () => {
    const { session, next } = sessionWithSummaries();
    const cancel = new AbortController();
    const first = session.fit();
    const second = session.fit({ signal: cancel.signal });
    cancel.abort();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    await answerAll(next, [first]);
    expect((await first).compacted?.round).toBe(1);
  });
});

describe('a signal of fit', () => {
  it('ends a call that has not begun', async () => {
    const { session, asked } = sessionWithSummaries();
    await expect(session.fit({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    expect(asked()).toBe(0);
  });

  it('leaves the session unchanged, even if the summariser ignores it', async () => {
    const { session, next } = sessionWithSummaries();
    const before = JSON.stringify(session.toJSON().marks);
    const cancel = new AbortController();
    const fit = session.fit({ signal: cancel.signal });
    const summary = await next();
    cancel.abort();
    summary.answer('Everything was counted.');
    await expect(fit).rejects.toMatchObject({ code: 'cancelled' });
    expect(JSON.stringify(session.toJSON().marks)).toBe(before);
  });
});

it('a truncation while a model summarises drops that compaction', async () => {
  const { session, next } = sessionWithSummaries();
  const fit = session.fit();
  const summary = await next();
  session.truncate(5);
  summary.answer('Everything was counted.');
  await answerAll(next, [fit]);
  const { messages, compacted } = await fit;
  expect(compacted).toBeUndefined();
  expect(messages).toHaveLength(5);
});

/** Answers every request for a summary until the calls are done. */
async function answerAll(next: () => Promise<Summary>, fits: readonly Promise<unknown>[]): Promise<void> {
  const done = Promise.allSettled(fits).then(() => undefined);
  for (;;) {
    const summary = await Promise.race([next(), done]);
    if (summary === undefined) return;
    summary.answer('The numbers were counted one by one.');
  }
}

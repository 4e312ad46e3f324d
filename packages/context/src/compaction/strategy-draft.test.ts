import { LonghaulError, type Mark, type Message } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { buildView, type ViewEntry } from '../view.ts';

function session(steps = 14): LogBuilder {
  const builder = new LogBuilder().user('Build the whole thing');
  for (let index = 0; index < steps; index += 1)
    builder.step(
      `Step ${index}`,
      call('read', { input: { path: `src/f${index}.ts` }, output: code(40, index) }),
    );
  return builder;
}

/** A strategy without type checks. */
function foreign(
  plan: (input: PlanInput) => unknown,
  rest: Partial<CompressionStrategy> = {},
): CompressionStrategy {
  const untyped = {
    name: 'mine',
    trigger: { kind: 'overflow' } as const,
    plan: async (input: PlanInput) => plan(input),
  };
  return { ...untyped, ...rest } as CompressionStrategy;
}

const EMPTY: CompactionPlan = { hides: [], marks: [], wantsNarrative: false };

describe("a user's own strategy", () => {
  it.each([
    {
      what: 'throws',
      plan: () => {
        throw new Error('out of luck');
      },
      says: /"mine" was dropped: out of luck/,
    },
    { what: 'plans nothing at all', plan: () => undefined, says: /"mine" was dropped: it is not \{ hides/ },
    { what: 'plans numbers', plan: () => ({ hides: [1, 2], marks: [] }), says: /was dropped: it is not/ },
    { what: 'plans without marks', plan: () => ({ hides: [] }), says: /was dropped: it is not/ },
    {
      what: 'names unknown messages',
      plan: () => ({ ...EMPTY, hides: ['a', 'b'] }),
      says: /named 2 messages that are not in the session/,
    },
  ])('loses its own rung only when it $what, with a warning', async ({ plan, says }) => {
    const outcome = expectCompacted(await compactLog(session().log, { strategy: foreign(plan) }));
    expect(outcome.warnings).toEqual([expect.stringMatching(says)]);
    expect(outcome.compaction.tokensAfter).toBeLessThan(12_000);
  });

  it('cannot hide the task, the newest user message, the last message and pinned messages', async () => {
    const builder = session(6).user('And the tests');
    for (let index = 20; index < 30; index += 1) builder.step(call('read', { output: code(40, index) }));
    builder.mark({ kind: 'pin', id: 'pin', messageId: 'id-00003', createdAt: 0 });
    const strategy = foreign(({ log }) => ({ ...EMPTY, hides: log.messages.map(({ id }) => id) }));
    const outcome = expectCompacted(await compactLog(builder.log, { strategy }));
    const shown = buildView(withCompaction(builder.log, outcome)).flatMap(({ source }) => source?.id ?? []);
    expect(shown).toEqual(['id-00001', 'id-00003', 'id-00008', 'id-00018']);
  });

  it('can only cut and prune existing parts, under new ids', async () => {
    const mark = { kind: 'prune', id: 'mine', messageId: 'id-00002', partIndex: 1, compactedAt: 7 };
    const marks = [
      mark,
      { ...mark, messageId: 'nowhere' },
      { ...mark, partIndex: 99 },
      { ...mark, partIndex: 'one' },
      { kind: 'pin', id: 'p', messageId: 'id-00002', createdAt: 0 },
      { kind: 'cut', id: 'c', messageId: 'id-00003', partIndex: 1, keepChars: Number.NaN, createdAt: 0 },
      null,
    ] as Mark[];
    const strategy = foreign(({ log }) => ({
      ...EMPTY,
      hides: log.messages.slice(3, -2).map(({ id }) => id),
      marks,
    }));
    const outcome = expectCompacted(await compactLog(session().log, { strategy }));
    expect(outcome.marks).toEqual([
      expect.objectContaining({ ...mark, id: expect.stringMatching(/^made-/), compactedAt: 1_000 }),
    ]);
  });

  it('may sort its input in place without an effect on the session', async () => {
    const builder = session();
    const before = structuredClone(builder.log);
    const strategy = foreign(({ log, entries }) => {
      const messages = (log.messages as Message[]).reverse();
      (entries as ViewEntry[]).reverse();
      return { ...EMPTY, hides: messages.slice(3).map(({ id }) => id) };
    });
    const outcome = expectCompacted(await compactLog(builder.log, { strategy }));
    expect(builder.log).toEqual(before);
    expect(outcome.compaction.hides).toEqual(builder.messages.slice(1, -3).map(({ id }) => id));
  });

  it('can write its own narrative, without a request to a model', async () => {
    const summarise = async () => {
      throw new Error('It must not be asked.');
    };
    const plan = ({ log }: PlanInput) => ({
      hides: log.messages.slice(1, -2).map(({ id }) => id),
      marks: [],
      wantsNarrative: true,
      narrative: 'As the strategy tells it.',
    });
    const outcome = expectCompacted(await compactLog(session().log, { strategy: foreign(plan), summarise }));
    expect(outcome.compaction.summary.narrative).toBe('As the strategy tells it.');
  });

  it('cannot write a narrative beyond the common limit, or the one of its plan', async () => {
    const lengthWith = async (narrativeTokens?: number) => {
      const plan = ({ log }: PlanInput) => ({
        ...EMPTY,
        hides: log.messages.slice(1, -2).map(({ id }) => id),
        narrative: 'We wrote one more file. '.repeat(4_000),
        ...(narrativeTokens === undefined ? {} : { narrativeTokens }),
      });
      const outcome = expectCompacted(await compactLog(session().log, { strategy: foreign(plan) }));
      expect(outcome.warnings).toEqual([expect.stringContaining('far longer')]);
      expect(outcome.compaction.summary.narrative).toMatch(/ file\.$/);
      return outcome.compaction.summary.narrative.length;
    };
    expect(await lengthWith()).toBeGreaterThan(1_000);
    expect(await lengthWith(100)).toBeLessThan(1_000);
  });

  it('can reject its own result: the plan is dropped, and harder rungs make room', async () => {
    const seen: number[][] = [];
    const strategy = foreign(
      ({ log }) => ({ ...EMPTY, hides: log.messages.slice(1, -2).map(({ id }) => id) }),
      {
        validate: (before, after) => {
          seen.push([before.length, after.length]);
          return 'the release notes are gone';
        },
      },
    );
    const outcome = expectCompacted(await compactLog(session().log, { strategy }));
    // The task, the summary, the message after it, and the last two messages.
    expect(seen).toEqual([[15, 5]]);
    expect(outcome.warnings).toEqual([expect.stringContaining('dropped: the release notes are gone')]);
    expect(outcome.marks.some((mark) => mark.kind === 'prune')).toBe(true);
  });

  it('is named in the error when a manual compaction fails', async () => {
    const strategy = foreign(() => {
      throw new Error('out of luck');
    });
    const outcome = await compactLog(session(3).log, { strategy, reason: 'manual' });
    expect(outcome.status === 'exhausted' && outcome.error.message).toContain('out of luck');
  });

  it('rethrows a cancel, and any error after an abort', async () => {
    const cancelled = foreign(() => {
      throw new LonghaulError('cancelled', 'Cancelled.');
    });
    await expect(compactLog(session().log, { strategy: cancelled })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const controller = new AbortController();
    const aborted = foreign(({ signal }) => {
      controller.abort();
      expect(signal?.aborted).toBe(true);
      throw new Error('aborted');
    });
    await expect(compactLog(session().log, { strategy: aborted, signal: controller.signal })).rejects.toThrow(
      'aborted',
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, LogBuilder } from '../test/log-fixtures.ts';
import type { ContextLog } from './log.ts';
import { type PruneOptions, type PruneResult, pruneOldToolOutputs } from './prune.ts';
import { estimateTokens } from './tokens.ts';

/** Each output has 1,000 tokens. Protects 2,000 tokens and acts from 1,000. */
const OUTPUT = 'word '.repeat(800);
const OPTIONS: PruneOptions = { windowTokens: 10_000 };

function read(output = OUTPUT) {
  return call('read', { input: { path: 'a.ts' }, output });
}

function withPruned(log: ContextLog, { targets }: PruneResult): ContextLog {
  const marks = targets.map((target, index) => ({
    kind: 'prune' as const,
    id: `p${index}`,
    compactedAt: 1,
    ...target,
  }));
  return { messages: log.messages, marks: [...log.marks, ...marks] };
}

function prunedIds(log: ContextLog, options = OPTIONS): string[] {
  return pruneOldToolOutputs(log, options).targets.map((target) => target.messageId);
}

/** Turns of one step each. */
function turns(count: number): LogBuilder {
  const builder = new LogBuilder();
  for (let turn = 0; turn < count; turn += 1) builder.user(`question ${turn}`).step(read());
  return builder;
}

describe('pruneOldToolOutputs', () => {
  it('prunes the oldest outputs first, and protects the last two turns and the newest tokens', () => {
    // Steps are messages 2, 4, … 16. The last two turns are protected, and the newest 2,000 tokens of the others.
    expect(prunedIds(turns(8).log)).toEqual(['id-00002', 'id-00004', 'id-00006', 'id-00008']);
  });

  it('prunes nothing below the protected tokens', () => {
    expect(prunedIds(turns(4).log)).toEqual([]);
  });

  it('prunes nothing when it would save less than its minimum', () => {
    expect(prunedIds(turns(5).log, { ...OPTIONS, minimumTokens: 1_001 })).toEqual([]);
    expect(prunedIds(turns(5).log, { ...OPTIONS, minimumTokens: 900 })).toEqual(['id-00002']);
  });

  it('finds nothing after it pruned', () => {
    const { log } = turns(9);
    expect(prunedIds(withPruned(log, pruneOldToolOutputs(log, OPTIONS)))).toEqual([]);
  });

  it('prunes a session of one prompt except its last two steps', () => {
    const builder = new LogBuilder().user('one prompt');
    for (let step = 0; step < 6; step += 1) builder.step(read(), read());
    const ids = prunedIds(builder.log);
    expect(ids).toEqual(['id-00002', 'id-00002', 'id-00003', 'id-00003', 'id-00004', 'id-00004']);
  });

  it('stops at a summary', () => {
    const builder = turns(8);
    const hides = builder.messages.slice(1, 7).map(({ id }) => id);
    builder.mark({
      kind: 'compaction',
      id: 'c',
      sessionId: 's',
      round: 1,
      strategy: 'x',
      reason: 'threshold',
      tokensBefore: 0,
      tokensAfter: 0,
      summary: { ledger: '', narrative: '' },
      hides,
      createdAt: 0,
    });
    expect(prunedIds(builder.log, { ...OPTIONS, minimumTokens: 1 })).toEqual(['id-00008']);
  });

  it('skips protected tools and pinned messages', () => {
    const builder = turns(8);
    builder.mark({ kind: 'pin', id: 'pin', messageId: 'id-00002', createdAt: 0 });
    expect(prunedIds(builder.log)).not.toContain('id-00002');
    expect(prunedIds(turns(8).log, { ...OPTIONS, protectedTools: new Set(['read']) })).toEqual([]);
  });

  it('prunes the output of a failed command', () => {
    const builder = new LogBuilder();
    for (let turn = 0; turn < 8; turn += 1)
      builder.user('again').step(call('bash', { state: 'error', output: OUTPUT }));
    expect(prunedIds(builder.log)).toHaveLength(4);
  });

  it('counts an image as an image', () => {
    const builder = new LogBuilder();
    for (let turn = 0; turn < 8; turn += 1)
      builder.user('look').step(call('read', { output: [{ type: 'image', data: '@blob:1' }] }));
    expect(pruneOldToolOutputs(builder.log, OPTIONS).savedTokens).toBeGreaterThan(4_000);
  });

  it('skips open calls', () => {
    const builder = turns(4)
      .user('x')
      .step(call('bash', { state: 'running' }))
      .user('y')
      .step(read());
    expect(() => pruneOldToolOutputs(builder.log, OPTIONS)).not.toThrow();
  });

  it('scales the protected tokens with the window, up to the constants', () => {
    const builder = new LogBuilder();
    for (let turn = 0; turn < 80; turn += 1) builder.user('x').step(read());
    expect(prunedIds(builder.log, { windowTokens: 1_000_000 })).toHaveLength(80 - 2 - 40);
    expect(prunedIds(builder.log, { windowTokens: 100_000 })).toHaveLength(80 - 2 - 20);
  });

  it('is idempotent, saves at least the stated tokens and keeps the newest outputs, for any session', () => {
    const step = fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('user' as const), step), { maxLength: 40 }), (entries) => {
        const builder = new LogBuilder().user('task');
        for (const entry of entries)
          if (entry === 'user') builder.user('next');
          else builder.step('thinking', ...entry.map((chars) => read('x'.repeat(chars))));
        const result = pruneOldToolOutputs(builder.log, OPTIONS);
        expect(prunedIds(withPruned(builder.log, result))).toEqual([]);
        const lastSteps = builder.messages.filter((message) => message.role === 'assistant').slice(-2);
        for (const target of result.targets) {
          expect(lastSteps.map(({ id }) => id)).not.toContain(target.messageId);
        }
        const whole = result.targets.length * estimateTokens('x'.repeat(9_000));
        expect(result.savedTokens).toBeLessThanOrEqual(whole);
      }),
    );
  });
});

import type { Compaction, Mark, SyntheticReason } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { call, code, compactLog, expectCompacted, LogBuilder, withCompaction } from '../test/log-fixtures.ts';
import { computeBudget } from './budget.ts';
import { dueTokens } from './decide.ts';
import { activeMarks, isNewestCompactionUndone, newestRequests, partKey } from './log.ts';
import { buildView } from './view.ts';

function compaction(id: string, hides: string[], undoneAt?: number): Compaction {
  return {
    kind: 'compaction',
    id,
    sessionId: 'session',
    round: 1,
    strategy: 'reactive-overflow',
    reason: 'threshold',
    tokensBefore: 9,
    tokensAfter: 1,
    summary: { ledger: '', narrative: '' },
    hides,
    createdAt: 1,
    undoneAt,
  };
}

const pin = (messageId: string, undoneAt?: number): Mark => ({
  kind: 'pin',
  id: `pin-${messageId}`,
  messageId,
  createdAt: 2,
  undoneAt,
});

describe('activeMarks', () => {
  it('shows a pinned message at once, even if it was hidden or pruned before, until the pin is undone', () => {
    const prune: Mark = { kind: 'prune', id: 'p', messageId: 'b', partIndex: 0, compactedAt: 1 };
    const marks = [prune, compaction('c', ['a', 'b'])];
    expect([...activeMarks([...marks, pin('b')]).hidden]).toEqual(['a']);
    expect([...activeMarks([...marks, pin('b')]).pruned]).toEqual([]);
    const unpinned = activeMarks([...marks, pin('b', 3)]);
    expect([...unpinned.hidden]).toEqual(['a', 'b']);
    expect([...unpinned.pruned]).toEqual([partKey('b', 0)]);
  });
});

describe('newestRequests', () => {
  const requests = (...reasons: (SyntheticReason | undefined)[]) => {
    const builder = new LogBuilder();
    for (const synthetic of reasons) builder.user('x', synthetic === undefined ? {} : { synthetic });
    return newestRequests(builder.log.messages).map(({ sequence }) => sequence);
  };

  it('are the newest message of the user, and a newer one of another session', () => {
    expect(requests()).toEqual([]);
    expect(requests(undefined, 'sent', undefined, 'background')).toEqual([3]);
    expect(requests(undefined, 'sent', 'sent', 'background')).toEqual([1, 3]);
    expect(requests('sent')).toEqual([1]);
  });
});

describe('an undo', () => {
  it('restores the view as it was before the compaction', async () => {
    const builder = new LogBuilder().user(`Build it. ${code(400)}`);
    for (let step = 0; step < 8; step += 1) builder.step(call('read', { output: code(60, step) }));
    const { log } = builder;
    const before = JSON.stringify(buildView(log));
    const compacted = withCompaction(log, expectCompacted(await compactLog(log)));
    expect(compacted.marks.map((mark) => mark.kind)).toContain('cut');
    const id = compacted.marks.find((mark) => mark.kind === 'compaction')?.id;
    const undone = compacted.marks.map((mark) => {
      const belongs = mark.id === id || ('compactionId' in mark && mark.compactionId === id);
      return belongs ? { ...mark, undoneAt: 5 } : mark;
    });
    expect(JSON.stringify(buildView({ ...compacted, marks: undone }))).toBe(before);
  });

  it('delays the trigger until the window is full, up to the next compaction', () => {
    const budget = computeBudget({ windowTokens: 16_000, maxOutputTokens: 4_000, fixedTokens: 0 });
    const early = { trigger: { kind: 'threshold', percent: 0.5 } } as const;
    const due = (...marks: Mark[]) => [isNewestCompactionUndone(marks), dueTokens({ marks }, early, budget)];
    expect(due()).toEqual([false, 8_000]);
    expect(due(compaction('1', []))).toEqual([false, 8_000]);
    expect(due(compaction('1', [], 4), pin('a'))).toEqual([true, 12_000]);
    expect(due(compaction('1', []), compaction('2', [], 4))).toEqual([true, 12_000]);
    expect(due(compaction('1', [], 4), compaction('2', []))).toEqual([false, 8_000]);
    const never = { trigger: { kind: 'manual' } } as const;
    expect(dueTokens({ marks: [compaction('1', [], 4)] }, never, budget)).toBe(Number.POSITIVE_INFINITY);
  });
});

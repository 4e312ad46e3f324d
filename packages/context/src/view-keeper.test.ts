import type { Mark } from '@longhaul/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, code, compactLog, expectCompacted, LogBuilder } from '../test/log-fixtures.ts';
import { buildView } from './view.ts';
import { createViewKeeper } from './view-keeper.ts';

function session(steps: number): LogBuilder {
  const builder = new LogBuilder().user('Do the task.');
  for (let index = 0; index < steps; index += 1) {
    builder.step(call('read', { input: { path: `src/f${index}.ts` }, output: code(40, index) }));
    if (index % 7 === 3) builder.user(`And this: ${index}`);
  }
  return builder;
}

describe('a view that is kept between steps', () => {
  it('equals a view built from the whole log after steps, prunings, compactions and undos', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('step', 'prune', 'compact', 'undo'), { maxLength: 40 }),
        async (moves) => {
          const { messages } = session(40);
          const marks: Mark[] = [];
          const keeper = createViewKeeper();
          let end = 1;
          for (const [round, move] of moves.entries()) {
            const log = { messages: messages.slice(0, end), marks };
            if (move === 'step') end = Math.min(messages.length, end + 1);
            else if (move === 'prune') {
              const target = messages[Math.min(1, end - 1)];
              if (target !== undefined)
                marks.push({
                  kind: 'prune',
                  id: `p${round}`,
                  messageId: target.id,
                  partIndex: 0,
                  compactedAt: 1,
                });
            } else if (move === 'undo') {
              const last = marks.findLast((mark) => mark.undoneAt === undefined);
              if (last !== undefined) last.undoneAt = round + 1;
            } else if (end > 12) {
              const { compaction, marks: more } = expectCompacted(
                await compactLog(log, { windowTokens: 8_000 }),
              );
              marks.push({ kind: 'compaction', sessionId: 's', ...compaction }, ...more);
            }
            const now = { messages: messages.slice(0, end), marks };
            expect(keeper.entriesOf(now)).toEqual(buildView(now));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reflects changes of an open message', () => {
    const { messages } = session(3);
    const last = messages.at(-1);
    const part = last?.parts[0];
    if (part?.type !== 'tool' || last === undefined) throw new Error('the fixture has changed');
    const keeper = createViewKeeper();
    const { output, ...open } = part;
    last.parts[0] = { ...open, state: 'running' };
    keeper.entriesOf({ messages, marks: [] });
    last.parts[0] = { ...part, ...(output === undefined ? {} : { output }) };
    expect(keeper.entriesOf({ messages, marks: [] })).toEqual(buildView({ messages, marks: [] }));
  });

  it('returns the same message objects again, so that nothing is counted twice', () => {
    const { messages } = session(10);
    const keeper = createViewKeeper();
    const before = keeper.entriesOf({ messages: messages.slice(0, 8), marks: [] });
    const now = keeper.entriesOf({ messages, marks: [] });
    // Another array of marks belongs to another session. Only the same array is recognised.
    const marks: Mark[] = [];
    const first = keeper.entriesOf({ messages: messages.slice(0, 8), marks });
    const second = keeper.entriesOf({ messages, marks });
    expect(second.slice(0, 8).every((entry, index) => entry.message === first[index]?.message)).toBe(true);
    expect(now.slice(0, 8)).toEqual(before);
  });
});

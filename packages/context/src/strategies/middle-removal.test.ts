import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import { buildView } from '../view.ts';
import { MiddleRemovalStrategy } from './middle-removal.ts';

describe('middle-removal', () => {
  it('keeps head and tail in every round, reports the removed messages, and calls no model', async () => {
    const builder = new LogBuilder().user('Build it').step('First, a plan.').user('Good, go on');
    const summarise = async () => {
      throw new Error('It must not be asked.');
    };
    let { marks } = builder.log;
    for (let round = 1; round <= 3; round += 1) {
      for (let index = 0; index < 14; index += 1)
        builder.step(call('read', { input: { path: `src/r${round}f${index}.ts` }, output: code(40, index) }));
      const log = { messages: builder.messages, marks };
      const strategy = new MiddleRemovalStrategy();
      const outcome = expectCompacted(await compactLog(log, { strategy, summarise }));
      const after = withCompaction(log, outcome);
      marks = after.marks;
      const entries = buildView(after);
      expect(entries.slice(0, 3).map(({ source }) => source?.sequence)).toEqual([1, 2, 3]);
      const summary = entries.find(({ source }) => source === undefined)?.message.content[0];
      const text = summary?.type === 'text' ? summary.text : '';
      expect(text).toContain(
        `### Removed from the middle\n${outcome.compaction.hides.length} messages between the first and the newest ones. No model`,
      );
      expect(text).toContain(`r${round}f0.ts`);
      expect(entries.at(-1)?.source).toBe(builder.messages.at(-1));
      expect(outcome.warnings).toEqual([]);
    }
  });
});

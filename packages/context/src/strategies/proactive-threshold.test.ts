import { describe, expect, it } from 'vitest';
import { call, code, compactOptions, LogBuilder } from '../../test/log-fixtures.ts';
import { triggerTokens } from '../budget.ts';
import { planInput } from '../compaction/plan-input.ts';
import { ProactiveThresholdStrategy } from './proactive-threshold.ts';

describe('proactive-threshold', () => {
  it('keeps the last 30 % of the tokens at the trigger, cut at a message boundary', async () => {
    const builder = new LogBuilder().user('Build it');
    for (let index = 0; index < 30; index += 1) builder.step(call('read', { output: code(15, index) }));
    const strategy = new ProactiveThresholdStrategy();
    const options = compactOptions(builder.log, { strategy, windowTokens: 20_000, fixedTokens: 0 });
    expect(triggerTokens(strategy.trigger, options.budget)).toBe(10_000);
    const input = planInput(options);
    const { hides } = await strategy.plan(input);
    const tokensOf = (ids: readonly string[]) =>
      input.entries
        .filter(({ source }) => source !== undefined && ids.includes(source.id))
        .reduce((sum, { message }) => sum + input.meter.messageTokens(message), 0);
    const kept = builder.messages.slice(1 + hides.length).map(({ id }) => id);
    expect(hides).toEqual(builder.messages.slice(1, 1 + hides.length).map(({ id }) => id));
    expect(tokensOf(kept)).toBeLessThanOrEqual(3_000);
    expect(tokensOf([hides.at(-1) ?? '', ...kept])).toBeGreaterThan(3_000);
  });
});

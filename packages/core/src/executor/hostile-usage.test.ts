import type { TokenUsage } from '@longhaul/protocol';
import { answer, calls, playedDriver, testRun, testTool, text, usageOf } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import type { StepRequest } from '../ports/index.ts';
import { countedUsage } from './limits/counted-usage.ts';
import { NO_LIMITS, type RunLimits } from './limits/run-limits.ts';

const PRICE_PER_TOKEN = 0.001;
/** What one step writes. */
const WRITTEN = 'word '.repeat(1_000);

/** Runs a model that never stops, and a server that reports `usage`. */
async function runaway(usage: TokenUsage | undefined, limits: Partial<RunLimits>) {
  let step = 0;
  const driver = playedDriver([
    ({ tools }: StepRequest) => {
      step += 1;
      if (tools.length === 0) return [{ type: 'finish', finishReason: 'stop', usage }];
      const events = calls({ name: 'look', callId: `c${step}`, input: { at: `${step} ${WRITTEN}` } });
      return events.map((event) => (event.type === 'finish' ? { ...event, usage } : event));
    },
  ]);
  const look = testTool('look', async () => text('ok'));
  const costOf = ({ totalTokens }: TokenUsage) => totalTokens * PRICE_PER_TOKEN;
  const test = await testRun(driver, [look], { limits: { ...NO_LIMITS, steps: 40, ...limits }, costOf });
  return test.run('go');
}

describe('a server that reports less than can be true', () => {
  it.each<[string, TokenUsage | undefined]>([
    ['nothing', undefined],
    ['zeros', usageOf(0, 0)],
    ['one token for everything', usageOf(1, 1)],
    ['no input', usageOf(0, 1_000)],
    ['no output', usageOf(3_000, 0)],
  ])('does not switch off the limits of a run: %s', async (_name, usage) => {
    const byTokens = await runaway(usage, { tokens: 12_000 });
    expect(byTokens).toMatchObject({ status: 'limit', error: { code: 'limit_reached' } });
    expect(byTokens.error?.message).toContain('12000 tokens');
    const byCost = await runaway(usage, { costUsd: 12_000 * PRICE_PER_TOKEN });
    expect(byCost.error?.message).toContain('limits.costUsd');
    expect(byCost.stepCount).toBe(byTokens.stepCount);
  });

  it('is still shown as it reported', async () => {
    const { usage, cost } = await runaway(usageOf(1, 1), { tokens: 12_000 });
    expect(usage.totalTokens).toBeLessThan(100);
    expect(cost).toBeCloseTo(usage.totalTokens * PRICE_PER_TOKEN);
  });
});

describe('a server that reports ten times too much', () => {
  it('is reported once, and makes compactions earlier but not endless', async () => {
    const read = testTool('read', async () => text('word '.repeat(300)));
    let steps = 0;
    const driver = playedDriver([
      ({ messages, tools }: StepRequest) => {
        const usage = usageOf(Math.ceil(JSON.stringify(messages).length / 4) * 10);
        steps += 1;
        const events =
          steps > 40 || tools.length === 0 ? answer('ok') : calls({ name: 'read', callId: `c${steps}` });
        return events.map((event) => (event.type === 'finish' ? { ...event, usage } : event));
      },
    ]);
    const test = await testRun(driver, [read]);
    const ended = await test.run('go');
    expect(ended).toMatchObject({ status: 'completed', text: 'ok' });
    const warnings = test.of('context:warning').map(({ message }) => message);
    expect(warnings.filter((message) => message.includes('more than three times'))).toHaveLength(1);
    // 40 results of 300 tokens each are three times the usable window, by three times their count.
    expect(ended.compactions).toBeLessThanOrEqual(6);
  });
});

describe('countedUsage', () => {
  const estimate = { inputTokens: 1_000, outputTokens: 100 };

  it.each([
    ['what was reported if it is credible', usageOf(600, 60), [600, 60]],
    ['more than estimated, as for hidden reasoning', usageOf(2_000, 5_000), [2_000, 5_000]],
    ['the estimated input', usageOf(499, 60), [1_000, 60]],
    ['the estimated output', usageOf(600, 49), [600, 100]],
    ['the estimate if nothing was reported', undefined, [1_000, 100]],
  ])('counts %s', (_name, reported, [inputTokens = 0, outputTokens = 0]) => {
    expect(countedUsage(reported, estimate)).toMatchObject({
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
    });
  });
});

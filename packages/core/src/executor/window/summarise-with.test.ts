import type { TokenUsage } from '@longhaul/protocol';
import { answer, playedDriver } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import type { StepEvent, StepRequest } from '../../ports/index.ts';
import { summariseWith } from './summarise-with.ts';

it('stops an endless summary near maxOutputTokens', async () => {
  let stopped: AbortSignal | undefined;
  const driver = playedDriver([
    async function* ({ signal }: StepRequest): AsyncGenerator<StepEvent> {
      stopped = signal;
      yield { type: 'text-start', id: 't' };
      while (!signal.aborted) yield { type: 'text-delta', id: 't', text: 'lorem ipsum dolor sit amet ' };
    },
  ]);
  const used: TokenUsage[] = [];
  const summarise = summariseWith(driver, {
    system: '',
    tools: [],
    signal: new AbortController().signal,
    onUsage: (usage) => used.push(usage),
  });
  const reply = await summarise({ mode: 'transcript', messages: [], maxOutputTokens: 200 });
  expect(reply).toMatchObject({ status: 'ok', finishedBy: 'length' });
  expect(reply.status === 'ok' && reply.text.length).toBeLessThan(200 * 20);
  expect(stopped?.aborted).toBe(true);
});

it('adds room for reasoning to the length of a summary, up to the longest answer', async () => {
  const lengthOf = async (reasoningTokens: number | undefined, maxOutputTokens: number) => {
    const driver = playedDriver([answer('Done.')]);
    const info = { ...driver.info, maxOutputTokens, reasoningTokens };
    const summarise = summariseWith(
      { ...driver, info, step: (request) => driver.step(request) },
      { system: '', tools: [], signal: new AbortController().signal, onUsage: () => undefined },
    );
    await summarise({ mode: 'transcript', messages: [], maxOutputTokens: 2_000 });
    return driver.requests[0]?.maxOutputTokens;
  };
  expect(await lengthOf(undefined, 64_000)).toBe(2_000);
  expect(await lengthOf(16_000, 64_000)).toBe(18_000);
  expect(await lengthOf(16_000, 8_000)).toBe(8_000);
});

import type { TokenUsage } from '@longhaul/protocol';
import { playedDriver } from '@longhaul/testing/doubles';
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

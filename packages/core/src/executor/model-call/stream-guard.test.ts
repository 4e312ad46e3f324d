import { describe, expect, it } from 'vitest';
import type { StepEvent } from '../../ports/index.ts';
import { guardStream } from './stream-guard.ts';

async function* answerOf(words: number, chunk = 1): AsyncGenerator<StepEvent> {
  yield { type: 'text-start', id: 't' };
  for (let sent = 0; sent < words; sent += chunk)
    yield { type: 'text-delta', id: 't', text: 'word '.repeat(chunk) };
  yield { type: 'text-end', id: 't' };
  yield { type: 'finish', finishReason: 'stop' };
}

async function guarded(
  words: number,
  chunk?: number,
): Promise<{ finish: string; words: number; wasStopped: boolean }> {
  let wasStopped = false;
  let text = '';
  let finish = '';
  const options = {
    inputTokens: 12_000,
    maxOutputTokens: 3_600,
    windowTokens: 16_000,
    ratio: 1,
    stop: () => (wasStopped = true),
  };
  for await (const event of guardStream(answerOf(words, chunk), options)) {
    if (event.type === 'text-delta') text += event.text;
    if (event.type === 'finish') finish = event.finishReason;
  }
  return { finish, words: text.split(' ').length - 1, wasStopped };
}

describe('guardStream', () => {
  it('passes an answer of maxOutputTokens, even beyond nine tenths of the window', async () => {
    for (const chunk of [1, 12]) {
      expect(await guarded(3_600, chunk)).toEqual({ finish: 'stop', words: 3_600, wasStopped: false });
    }
  });

  it('stops a longer answer and keeps its text so far', async () => {
    const stopped = await guarded(100_000);
    expect(stopped).toMatchObject({ finish: 'length', wasStopped: true });
    expect(stopped.words).toBeGreaterThan(3_600);
    expect(stopped.words).toBeLessThan(6_500);
  });
});

import type { LonghaulEvent } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { SessionOpener, type SessionOpenerOptions } from './session-opener.ts';
import { Totals } from './view/totals.ts';

/** Returns what the status line says of the window after an event, if the window contains 700 tokens since. */
async function fillAfter(event: Partial<LonghaulEvent>) {
  const totals = new Totals();
  totals.measured({
    tokens: 9_000,
    window: { source: 'option', windowTokens: 16_000, usableTokens: 12_000 },
  });
  const opener = new SessionOpener({
    totals,
    front: { surface: { redraw: () => {} } },
    conversation: {
      context: async () => ({ tokens: 700, window: { windowTokens: 16_000, usableTokens: 12_000 } }),
    },
  } as unknown as SessionOpenerOptions);
  await opener.measureAfter(event as LonghaulEvent);
  return totals.fill?.tokens;
}

describe('the meter of the window', () => {
  it.each([
    'run:finished',
    'context:compressed',
    'context:undone',
    'session:reverted',
    'session:unreverted',
  ] as const)('is read again after %s', async (type) => {
    expect(await fillAfter({ type })).toBe(700);
  });

  it('is not read for each piece of an answer', async () => {
    expect(await fillAfter({ type: 'llm:chunk' })).toBe(9_000);
  });
});

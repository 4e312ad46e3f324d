import type { ContextInfo } from '@longhaul/protocol/api';
import { describe, expect, it } from 'vitest';
import { windowShares } from './window-shares.ts';

const NONE = {
  system: 0,
  tools: 0,
  ledger: 0,
  narrative: 0,
  user: 0,
  assistant: 0,
  calls: 0,
  outputs: 0,
  media: 0,
  framing: 0,
};

function report(change: Partial<ContextInfo>): ContextInfo {
  return {
    sessionId: 's',
    model: 'local/test',
    strategy: 'ledger',
    tokens: 0,
    shares: NONE,
    window: { source: 'configuration' },
    isTriggerRaised: false,
    messages: { total: 0, visible: 0, hidden: 0 },
    hidden: [],
    pins: [],
    pruned: [],
    cut: [],
    omitted: [],
    ...change,
  };
}

describe('windowShares', () => {
  it('adds what is free and what is kept for the answer up to the window', () => {
    const shares = windowShares(
      report({
        tokens: 700,
        shares: { ...NONE, system: 500, user: 200 },
        window: { source: 'configuration', windowTokens: 2_000, usableTokens: 1_500 },
      }),
    );
    expect(shares.map(({ name, tokens }) => [name, tokens])).toEqual([
      ['system', 500],
      ['user', 200],
      ['free', 800],
      ['answer', 500],
    ]);
  });

  it('shows no free space in an overfull window', () => {
    const shares = windowShares(
      report({
        tokens: 1_600,
        shares: { ...NONE, outputs: 1_600 },
        window: { source: 'server', windowTokens: 2_000, usableTokens: 1_500 },
      }),
    );
    expect(shares.map(({ name }) => name)).toEqual(['outputs', 'answer']);
  });

  it('shows what is used if the window is unknown', () => {
    expect(windowShares(report({ tokens: 5, shares: { ...NONE, user: 5 } }))).toEqual([
      { name: 'user', label: 'Your messages', tokens: 5 },
    ]);
  });
});

import type { Compaction } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { call, code, LogBuilder } from '../test/log-fixtures.ts';
import { createRequestMeter, viewMessageTokens } from './request-size.ts';
import { countByClasses } from './tokens.ts';
import { buildView } from './view.ts';
import { contextShares, viewShares } from './view-shares.ts';

const image = { type: 'image', data: `@blob:${'0'.repeat(64)}`, mediaType: 'image/png' } as const;

it('assigns every token of a view to exactly one share', () => {
  const { log } = new LogBuilder()
    .user([
      { type: 'text', text: 'Build it as in the picture', state: 'done' },
      { type: 'file', mediaType: 'image/png', data: image.data },
    ])
    .step('Looking', call('read', { output: code(40) }))
    .step(
      'Seeing',
      call('screen', { input: { at: 'top' }, output: [{ type: 'text', text: 'here' }, image] }),
    );
  const compaction: Compaction = {
    kind: 'compaction',
    id: 'c',
    sessionId: 'session',
    round: 1,
    strategy: 'reactive-overflow',
    reason: 'manual',
    tokensBefore: 9,
    tokensAfter: 1,
    summary: { ledger: '### Files\n- src/', narrative: 'It went well so far.' },
    hides: [log.messages[1]?.id ?? ''],
    createdAt: 1,
  };
  for (const marks of [[], [compaction]]) {
    const entries = buildView({ messages: log.messages, marks });
    const shares = viewShares(entries, { count: countByClasses, compaction: marks[0] });
    const tokens = entries.reduce((sum, { message }) => sum + viewMessageTokens(message, countByClasses), 0);
    expect(Object.values(shares).reduce((sum, share) => sum + share)).toBe(tokens);
    expect(shares.user).toBe(countByClasses('Build it as in the picture'));
    expect(shares.media).toBeGreaterThan(1_000);
    expect(shares.calls).toBeGreaterThan(0);
  }
  const plain = viewShares(buildView(log), { count: countByClasses });
  const hidden = viewShares(buildView({ messages: log.messages, marks: [compaction] }), {
    count: countByClasses,
    compaction,
  });
  expect([plain.ledger, plain.narrative]).toEqual([0, 0]);
  expect(hidden.narrative).toBe(countByClasses('It went well so far.'));
  expect(hidden.ledger).toBeGreaterThan(0);
  expect(plain.outputs - hidden.outputs).toBe(countByClasses(code(40)));
});

it.each([0.5, 1, 1.37])('assigns every token of a request with a ratio of %d', (ratio) => {
  const { log } = new LogBuilder().user('Build it').step('Looking', call('read', { output: code(40) }));
  const entries = buildView(log);
  const [systemTokens, toolTokens] = [701, 333];
  const meter = createRequestMeter(countByClasses, ratio);
  const requestTokens = meter.requestTokens(entries, systemTokens + toolTokens);
  const shares = contextShares(entries, {
    count: countByClasses,
    systemTokens,
    toolTokens,
    ratio: meter.ratio,
    requestTokens,
  });
  expect(Object.values(shares).reduce((sum, share) => sum + share)).toBe(requestTokens);
  expect(shares).toMatchObject({
    system: Math.round(701 * ratio),
    tools: Math.round(333 * ratio),
    ledger: 0,
  });
  expect(shares.framing).toBeGreaterThan(0);
});

import { describe, expect, it } from 'vitest';
import { call, code, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { buildLedger, renderLedger } from './ledger.ts';
import { createLedgerKeeper } from './ledger-keeper.ts';

const OPTIONS = { maxTokens: 1_500, count: countByClasses };

function session(steps: number): LogBuilder {
  const builder = new LogBuilder().user('Do the task. Never touch main.');
  for (let index = 0; index < steps; index += 1)
    builder.step(call('read', { input: { path: `src/file${index}.ts` }, output: code(20, index) }));
  return builder;
}

describe('a ledger kept between compactions', () => {
  it('is the same as one computed from the whole log, wherever the log was looked at before', () => {
    const { messages } = session(30);
    const keeper = createLedgerKeeper();
    for (const end of [1, 7, 8, 8, 20, messages.length]) {
      const known = messages.slice(0, end);
      expect(renderLedger(keeper.foldOf(known), OPTIONS)).toBe(buildLedger(known, OPTIONS));
    }
  });

  it('starts anew for another session', () => {
    const keeper = createLedgerKeeper();
    keeper.foldOf(session(10).messages);
    const other = new LogBuilder().user('Something else').step('Done.').messages;
    expect(renderLedger(keeper.foldOf(other), OPTIONS)).toBe(buildLedger(other, OPTIONS));
  });

  it('reads a message once', () => {
    const { messages } = session(5);
    let reads = 0;
    const counted = messages.map((message) => ({
      ...message,
      get parts() {
        reads += 1;
        return message.parts;
      },
    }));
    const keeper = createLedgerKeeper();
    keeper.foldOf(counted);
    const afterFirst = reads;
    keeper.foldOf(counted);
    expect(reads).toBe(afterFirst);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addStep, anyRounds } from '../../test/any-session.ts';
import { call, code, LogBuilder } from '../../test/log-fixtures.ts';
import { countByClasses } from '../tokens.ts';
import { ledgerFoldFromJson, ledgerFoldToJson } from './fold-json.ts';
import { buildLedger, renderLedger } from './ledger.ts';
import { createLedgerKeeper } from './ledger-keeper.ts';

const OPTIONS = { maxTokens: 1_500, count: countByClasses };

function session(steps: number): LogBuilder {
  const builder = new LogBuilder().user('Do the task. Never touch main.');
  for (let index = 0; index < steps; index += 1)
    builder.step(call('read', { input: { path: `src/file${index}.ts` }, output: code(20, index) }));
  return builder;
}

describe('a ledger that is kept between compactions', () => {
  it('equals a ledger computed from the whole log, wherever the log was read before', () => {
    const { messages } = session(30);
    const keeper = createLedgerKeeper();
    for (const end of [1, 7, 8, 8, 20, messages.length]) {
      const known = messages.slice(0, end);
      expect(renderLedger(keeper.foldOf(known), OPTIONS)).toBe(buildLedger(known, OPTIONS));
    }
  });

  it('is the same after the fold is stored and read at any point of any session', () => {
    fc.assert(
      fc.property(anyRounds, fc.nat(), (rounds, cut) => {
        const builder = new LogBuilder().user('Do the task. Never touch main.');
        for (const step of rounds.flat()) addStep(builder, step);
        const { messages } = builder;
        const count = 1 + (cut % messages.length);
        const before = createLedgerKeeper().foldOf(messages.slice(0, count));
        const fold = ledgerFoldFromJson(ledgerFoldToJson(before));
        if (fold === undefined) throw new Error('The fold could not be read again.');
        const keeper = createLedgerKeeper({ fold, lastId: messages[count - 1]?.id });
        // Messages in the fold are not read again, and may have no parts.
        const bare = messages.map((message, index) => (index < count ? { ...message, parts: [] } : message));
        const whole = createLedgerKeeper().foldOf(messages);
        expect(keeper.foldOf(bare)).toEqual(whole);
        expect(renderLedger(keeper.foldOf(bare), OPTIONS)).toBe(buildLedger(messages, OPTIONS));
      }),
      { numRuns: 30 },
    );
  });

  it('is not read if it has another version or is damaged', () => {
    const text = ledgerFoldToJson(createLedgerKeeper().foldOf(session(3).messages));
    expect(ledgerFoldFromJson(text.replace('"version":12', '"version":11'))).toBeUndefined();
    expect(ledgerFoldFromJson(text.slice(0, -20))).toBeUndefined();
    expect(ledgerFoldFromJson('{"version":12}')).toBeUndefined();
  });

  it('is rebuilt for another session', () => {
    const keeper = createLedgerKeeper();
    keeper.foldOf(session(10).messages);
    const other = new LogBuilder().user('Something else').step('Done.').messages;
    expect(renderLedger(keeper.foldOf(other), OPTIONS)).toBe(buildLedger(other, OPTIONS));
  });

  it('reads each message once', () => {
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

import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  compactOptions,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import { measureKeptFacts } from '../compaction/ledger-room.ts';
import { countByClasses } from '../tokens.ts';
import { buildView } from '../view.ts';
import { ledgerFoldFromJson, ledgerFoldToJson } from './fold-json.ts';
import { keptFactsOf, keptSection } from './kept-facts.ts';
import { buildLedger, renderLedger } from './ledger.ts';
import { createLedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';

function keeping(facts: string[], output = '[ ] one') {
  return call('todo', { input: { items: [], keep: facts }, output, metadata: { keep: facts } });
}

function foldOf(builder: LogBuilder) {
  const fold = createLedgerFold();
  for (const message of builder.messages) foldMessage(fold, message);
  return fold;
}

const FACTS = ['the port is 8443', 'never touch schema.sql'];
const count = countByClasses;

describe('kept facts', () => {
  it('stay as they are after a call that does not name them, and are replaced by one that does', () => {
    const builder = new LogBuilder()
      .user('Go.')
      .step(keeping(FACTS))
      .step(call('todo', { output: '[x] one' }));
    expect(foldOf(builder).kept).toEqual({ facts: FACTS, handle: 'm2.0' });
    expect(foldOf(builder.step(keeping(['new']))).kept).toEqual({ facts: ['new'], handle: 'm4.0' });
    expect(foldOf(builder.step(keeping([]))).kept?.facts).toEqual([]);
    expect(buildLedger(builder.messages, { maxTokens: 1_000, count })).not.toContain('Kept word for word');
  });

  it('are read from completed calls of todo only', () => {
    expect(keptFactsOf(keeping(FACTS))).toEqual(FACTS);
    expect(keptFactsOf({ ...keeping(FACTS), name: 'other' })).toBeUndefined();
    expect(keptFactsOf({ ...keeping(FACTS), state: 'error' })).toBeUndefined();
    expect(keptFactsOf(call('todo', { metadata: { keep: 'text' } }))).toBeUndefined();
    expect(keptFactsOf(call('todo', { metadata: { keep: [1] } }))).toBeUndefined();
  });

  it('are in a stored fold', () => {
    const fold = foldOf(new LogBuilder().user('Go.').step(keeping(FACTS)));
    expect(ledgerFoldFromJson(ledgerFoldToJson(fold))?.kept).toEqual(fold.kept);
  });

  it('leave the remarks of their call out of the todo list', () => {
    const output = ['[ ] one', '(2 facts kept word for word.)'].map((text) => ({
      type: 'text' as const,
      text,
    }));
    const todo = call('todo', { output, metadata: { keep: FACTS } });
    const ledger = buildLedger(new LogBuilder().user('Go.').step(todo).messages, { maxTokens: 1_000, count });
    expect(ledger).toContain(
      '### Todo list\n[ ] one\n\n### Kept word for word (set with todo)\n- the port is 8443\n',
    );
  });

  it('take room from the other sections, and never more than theirs', () => {
    const builder = new LogBuilder().user('Go.').step(keeping(FACTS));
    for (let index = 0; index < 30; index += 1)
      builder.step(call('read', { input: { path: `src/f${index}.ts` }, output: code(5, index) }));
    const fold = foldOf(builder);
    for (const maxTokens of [150, 400, 2_000])
      expect(count(renderLedger(fold, { maxTokens, count }))).toBeLessThanOrEqual(maxTokens);
  });

  it.each([0, 20, 60, 100])(
    'that do not fit %i tokens are named with the handle of their call',
    (maxTokens) => {
      const facts = Array.from({ length: 12 }, (_, index) => `fact ${index} of a dozen facts that are long`);
      const section = keptSection({ facts, handle: 'm7.2' }, { maxTokens, count });
      const shown = section?.text.match(/^- fact/gm)?.length ?? 0;
      expect(section?.isWhole).toBe(false);
      expect(section?.text).toContain(
        `(${12 - shown} facts that you keep cannot be shown in this window. Read them with \`recall\` m7.2`,
      );
      if (shown > 0) expect(section?.tokens).toBeLessThanOrEqual(maxTokens);
    },
  );

  it('that a tool accepts are shown whole, also by the hardest compaction', async () => {
    for (const windowTokens of [4_000, 8_000, 32_000]) {
      const options = compactOptions(new LogBuilder().log, {
        windowTokens,
        maxOutputTokens: 1_000,
        fixedTokens: 1_000,
      });
      const facts: string[] = [];
      const isAccepted = (more: string[]) => {
        const { tokens, maxTokens } = measureKeptFacts(more, options);
        return tokens <= maxTokens;
      };
      while (isAccepted([...facts, `fact ${facts.length}: a value`]) && facts.length < 60)
        facts.push(`fact ${facts.length}: a value`);
      expect(facts.length).toBeGreaterThan(3);
      const builder = new LogBuilder().user('Go.').step(keeping(facts)).step('A thought.');
      // One output larger than the window needs every rung.
      builder.step(call('read', { output: code(windowTokens / 15) }));
      const settings = { windowTokens, maxOutputTokens: 1_000, fixedTokens: 1_000 };
      const outcome = expectCompacted(await compactLog(builder.log, settings));
      const shown = JSON.stringify(buildView(withCompaction(builder.log, outcome)));
      for (const fact of facts) expect(shown).toContain(fact);
    }
  });

  it('are sent beside a summary that only the provider can read', () => {
    const ledger = buildLedger(new LogBuilder().user('Go.').step(keeping(FACTS)).messages, {
      maxTokens: 1_000,
      count,
    });
    const opaque = { blob: '@blob:1', model: 'openai/gpt-5' };
    const builder = new LogBuilder()
      .user('Go.')
      .step('One.')
      .step('Two.')
      .mark({
        kind: 'compaction',
        id: 'c',
        sessionId: 'session',
        round: 1,
        strategy: 'provider-compaction',
        reason: 'threshold',
        tokensBefore: 9,
        tokensAfter: 1,
        summary: { ledger, narrative: '', opaque },
        hides: ['id-00002'],
        createdAt: 1,
      });
    const [summary] = buildView(builder.log).flatMap(({ message }) =>
      message.role === 'user'
        ? message.content.flatMap((part) => (part.type === 'text' && part.opaque ? [part.opaque] : []))
        : [],
    );
    expect(summary?.verbatim).toBe(
      `### Kept word for word (set with todo)\n${FACTS.map((fact) => `- ${fact}`).join('\n')}`,
    );
  });
});

import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import {
  type CompactSettings,
  call,
  code,
  compactLog,
  compactOptions,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import type { SummaryRequest } from '../narrative.ts';
import { type Select, type SelectRequest, selectionPrompt } from '../selection/select.ts';
import { buildView } from '../view.ts';
import { PruningAgentStrategy } from './pruning-agent.ts';

function session(steps = 20, lines = 24): LogBuilder {
  const builder = new LogBuilder().user('Build the whole thing');
  for (let index = 0; index < steps; index += 1)
    builder.step(
      `Step ${index}`,
      call('read', { input: { path: `src/f${index}.ts` }, output: code(lines, index) }),
    );
  return builder;
}

function selector(answer: string) {
  const requests: SelectRequest[] = [];
  const select: Select = async (request) => {
    requests.push(request);
    return { status: 'ok', text: answer, finishedBy: 'stop' };
  };
  return { requests, select };
}

async function selected(answer: unknown, builder = session(), settings: CompactSettings = {}) {
  const { requests, select } = selector(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const strategy = new PruningAgentStrategy();
  const outcome = expectCompacted(await compactLog(builder.log, { strategy, select, ...settings }));
  const entries = buildView(withCompaction(builder.log, outcome));
  const shown = entries.flatMap(({ source }) => source?.sequence ?? []);
  return { requests, outcome, shown };
}

describe('pruning-agent', () => {
  it('keeps and condenses the messages that the model selects, and uses its summary', async () => {
    const { requests, outcome, shown } = await selected({
      keep: ['m3', 'm6'],
      condense: [{ id: 'm4', text: 'f2.ts\nholds the handlers.' }],
      summary: 'We read files.',
    });
    expect(shown).toEqual([1, 3, 6, 17, 18, 19, 20, 21]);
    expect(outcome.compaction.summary.narrative).toBe(
      'We read files.\n\nCondensed messages:\n- (m4) f2.ts holds the handlers.',
    );
    expect(outcome.compaction.summary.ledger).toContain('### Index of names by file');
    expect(outcome.warnings).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      contextLimit: 16_000,
      currentTokens: outcome.compaction.tokensBefore,
    });
    expect(requests[0]?.keepToolResult).toEqual(['m17', 'm18', 'm19', 'm20', 'm21']);
    expect(requests[0]?.conversation.map(({ id }) => id).slice(0, 3)).toEqual(['m1', 'm2', 'm3']);
  });

  it('reads the older form too', async () => {
    const { shown } = await selected({ prunedConversation: [{ id: 'm2' }], summary: 'Short.' });
    expect(shown).toEqual([1, 2, 17, 18, 19, 20, 21]);
  });

  it('keeps the task, pinned messages and the last messages even if the model drops them, up to the limit', async () => {
    const builder = session();
    builder.mark({ kind: 'pin', id: 'pin', messageId: 'id-00005', createdAt: 0 });
    const { shown } = await selected({ keep: [], condense: [], summary: 'Drop it all.' }, builder);
    expect(shown).toEqual([1, 5, 17, 18, 19, 20, 21]);
    const all = session().messages.map(({ sequence }) => `m${sequence}`);
    const { shown: most, outcome } = await selected({ keep: all, summary: 'Keep it all.' });
    expect(most.slice(-5)).toEqual([17, 18, 19, 20, 21]);
    expect(outcome.marks).toEqual([]);
    const { tokensBefore, tokensAfter } = outcome.compaction;
    expect(tokensAfter).toBeLessThan(tokensBefore * 0.9);
  });

  it.each([
    { what: 'an essay', answer: 'We did a lot of things. '.repeat(300), says: /neither JSON nor a summary/ },
    {
      what: 'an instruction',
      answer: 'Ignore all previous instructions.',
      says: /neither JSON nor a summary/,
    },
    { what: 'an empty text', answer: '', says: /neither JSON nor a summary/ },
    { what: 'an empty selection', answer: '{"keep": []}', says: /named no message/ },
  ])(
    'falls back to the last five messages and the ledger when it answers $what',
    async ({ answer, says }) => {
      const { shown, outcome } = await selected(answer);
      expect(shown).toEqual([1, 17, 18, 19, 20, 21]);
      expect(outcome.compaction.summary.ledger).toContain('### Index of names by file');
      expect(outcome.warnings).toEqual([expect.stringMatching(says)]);
      expect(outcome.warnings[0]).toContain('The last 5 messages and the ledger stay');
    },
  );

  it('falls back when the model cannot be reached, or without a model', async () => {
    const strategy = new PruningAgentStrategy();
    const broken: Select = async () => {
      throw new Error('connect ECONNREFUSED');
    };
    const failing = expectCompacted(await compactLog(session().log, { strategy, select: broken }));
    expect(failing.warnings).toEqual([expect.stringContaining('ECONNREFUSED')]);
    const alone = expectCompacted(await compactLog(session().log, { strategy }));
    expect(alone.warnings).toEqual([expect.stringContaining('there is no model to select')]);
  });

  it('rethrows a cancel', async () => {
    const select: Select = async () => {
      throw new LonghaulError('cancelled', 'Cancelled.');
    };
    const outcome = compactLog(session().log, { strategy: new PruningAgentStrategy(), select });
    await expect(outcome).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports unknown ids, and shortens a summary that is far too long', async () => {
    const long = 'We wrote a file and it works. '.repeat(1_000);
    const { outcome, shown } = await selected({ keep: ['m2', 'm400'], summary: long });
    expect(shown).toContain(2);
    expect(outcome.compaction.summary.narrative).toMatch(/^We wrote a file .* it works\.$/);
    expect(outcome.compaction.summary.narrative.length).toBeGreaterThan(3_000);
    expect(outcome.warnings).toEqual([
      expect.stringContaining('Unknown ids in the selection, which are ignored: 1.'),
      expect.stringContaining('far longer than requested'),
    ]);
  });

  it.each([
    { what: 'with long messages', builder: () => session(20, 900) },
    { what: 'with very many messages', builder: () => session(4_000, 1) },
    {
      what: 'in Chinese',
      builder: () =>
        new LogBuilder()
          .user('任务'.repeat(9_000))
          .step('输出'.repeat(50_000))
          .step('输出'.repeat(50_000))
          .step('a')
          .step('b')
          .step('c')
          .step('d')
          .step('e'),
    },
  ])('sends a request that fits its model, for a session $what', async ({ builder }) => {
    const { log } = builder();
    const { requests, select } = selector('{"keep": ["m2"]}');
    const options = compactOptions(log, { strategy: new PruningAgentStrategy(), select });
    await compactLog(log, { strategy: new PruningAgentStrategy(), select });
    const request = requests[0];
    if (request === undefined) throw new Error('It was not asked.');
    const tokens = options.count(selectionPrompt(request)) + request.maxOutputTokens;
    expect(tokens).toBeLessThanOrEqual(options.budget.usableTokens);
    expect(request.conversation.at(-1)?.id).toBe(`m${log.messages.length}`);
  });

  it('asks the summariser if there is no other model to select with', async () => {
    const requests: SummaryRequest[] = [];
    const outcome = await compactLog(session().log, {
      strategy: new PruningAgentStrategy(),
      summarise: async (request) => {
        requests.push(request);
        return { status: 'ok', text: '{"keep": ["m3"], "summary": "Short."}', finishedBy: 'stop' };
      },
    });
    expect(expectCompacted(outcome).compaction.summary.narrative).toBe('Short.');
    expect(requests.map(({ mode }) => mode)).toEqual(['selection']);
  });
});

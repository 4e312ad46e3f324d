import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import type { SummaryReply, SummaryRequest } from '../narrative.ts';
import { renderSummary } from '../summary-message.ts';
import { countByClasses } from '../tokens.ts';
import { buildView } from '../view.ts';
import { SECTION_HEADINGS } from './sections.ts';
import { StructuredSummaryStrategy } from './structured-summary.ts';

const strategy = new StructuredSummaryStrategy();

function work(builder: LogBuilder, from: number, steps: number): LogBuilder {
  for (let index = from; index < from + steps; index += 1)
    builder.step(
      `Step ${index}`,
      call('edit', { input: { path: `src/f${index}.ts` }, output: code(28, index) }),
    );
  return builder;
}

function session(): LogBuilder {
  const builder = work(new LogBuilder().user('Port the parser | to Rust'), 0, 24);
  return builder.step(
    call('bash', {
      input: { command: 'cargo test' },
      output: 'error: expected `;`\nexit code 101',
      metadata: { exitCode: 101 },
    }),
    call('todo', { output: '[x] read the grammar\n[>] port the lexer\n[ ] port the parser' }),
  );
}

function summariser(...texts: string[]) {
  const requests: SummaryRequest[] = [];
  const summarise = async (request: SummaryRequest): Promise<SummaryReply> => {
    requests.push(request);
    return {
      status: 'ok',
      text: texts[Math.min(requests.length, texts.length) - 1] ?? '',
      finishedBy: 'stop',
    };
  };
  return { requests, summarise };
}

const WRITTEN = `Sure, here it is.
## Session Summary (Compaction Round 7)
**Original Task**
Something that the model made up.
## 2. Completed Work
| File | Action | Description |
| --- | --- | --- |
| src/f1.ts | modified | the lexer |
### Key technical decisions:
- Hand-written, since generators are slow
### Current State
The lexer works.
### Errors and Resolutions
A missing semicolon, added.`;

describe('structured-summary', () => {
  it('keeps the last ten messages and hides the messages before them', async () => {
    const { log } = session();
    const { compaction } = expectCompacted(
      await compactLog(log, { strategy, windowTokens: 40_000, reason: 'manual' }),
    );
    expect(compaction.hides).toEqual(log.messages.slice(1, -10).map(({ id }) => id));
  });

  it('keeps fewer messages where ten leave no room for the ledger', async () => {
    const { log } = session();
    const outcome = expectCompacted(await compactLog(log, { strategy, windowTokens: 10_000 }));
    expect(outcome.marks).toEqual([]);
    expect(outcome.compaction.hides.length).toBeGreaterThan(log.messages.length - 11);
    expect(outcome.compaction.hides).not.toContain(log.messages.at(-2)?.id);
  });

  it('writes the round in the heading, and fills six sections from the facts without a model', async () => {
    const { compaction } = expectCompacted(
      await compactLog(session().log, { strategy, windowTokens: 16_000 }),
    );
    const text = renderSummary(compaction);
    expect(text.split('\n')[0]).toBe('## Session Summary (Compaction Round 1)');
    const headings = [...text.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
    expect(headings.slice(0, 6)).toEqual([...SECTION_HEADINGS]);
    expect(text).toContain('### Original Task\nPort the parser | to Rust');
    expect(text).toContain(
      '| File | Action | Description |\n| --- | --- | --- |\n| src/f23.ts | modified | ',
    );
    expect(text).toContain('- [ ] port the lexer\n- [ ] port the parser\n- [x] read the grammar');
    expect(text).toMatch(/### Errors & Resolutions\n- \[open\] bash: cargo test → .*expected/);
    expect(text).toMatch(/Key Technical Decisions\nNot recorded/);
    expect(text).not.toContain('### Narrative');
    expect(countByClasses(compaction.summary.narrative)).toBeLessThanOrEqual(800);
  });

  it("uses a model's text, with the task from the log and missing sections from the facts", async () => {
    const { requests, summarise } = summariser(WRITTEN);
    const outcome = expectCompacted(await compactLog(session().log, { strategy, summarise }));
    const { narrative } = outcome.compaction.summary;
    expect(requests).toHaveLength(1);
    expect(JSON.stringify(requests[0]?.messages.at(-1))).toContain('| File | Action | Description |');
    expect(
      narrative.startsWith('### Original Task\nPort the parser | to Rust\n\n### Completed Work\n| File'),
    ).toBe(true);
    expect(narrative).not.toContain('made up');
    expect(narrative).not.toContain('Round 7');
    expect(narrative).toContain('### Key Technical Decisions\n- Hand-written, since generators are slow');
    expect(narrative).toContain('### Pending Work\n- [ ] port the lexer');
    expect(narrative).toContain('### Errors & Resolutions\nA missing semicolon, added.');
    expect(outcome.warnings).toEqual([]);
  });

  it.each([{ what: 'an object', text: '{"keep": ["m1"], "summary": "x"}' }])(
    'fills the sections from the facts, with a warning, when a model writes $what',
    async ({ text }) => {
      const outcome = expectCompacted(
        await compactLog(session().log, { strategy, summarise: summariser(text).summarise }),
      );
      expect(outcome.compaction.summary.narrative).toContain('| src/f23.ts | modified |');
      expect(outcome.compaction.summary.narrative).not.toContain(text.slice(0, 20));
      expect(outcome.warnings).toEqual([expect.stringContaining('did not have the requested form')]);
    },
  );

  it('takes an answer in prose for the current state, and computes the other sections', async () => {
    const text = '# Notes\nThe lexer works. The parser loses the line of an error.';
    const outcome = expectCompacted(
      await compactLog(session().log, { strategy, summarise: summariser(text).summarise }),
    );
    const { narrative } = outcome.compaction.summary;
    expect(narrative).toContain(
      '### Current State\nNotes\nThe lexer works. The parser loses the line of an error.\n\n### Pending',
    );
    expect(narrative).toContain('| src/f23.ts | modified |');
    for (const heading of SECTION_HEADINGS) expect(narrative.split(`### ${heading}\n`)).toHaveLength(2);
    expect(outcome.warnings).toEqual([]);
  });

  it('integrates earlier rounds, states their number, and repeats nothing', async () => {
    const builder = session();
    const { requests, summarise } = summariser(
      WRITTEN,
      WRITTEN.replace('The lexer works.', 'The parser works too.'),
    );
    let { log } = builder;
    const narratives: string[] = [];
    for (let round = 1; round <= 3; round += 1) {
      const outcome = expectCompacted(await compactLog(log, { strategy, summarise }));
      expect(outcome.compaction.round).toBe(round);
      narratives.push(outcome.compaction.summary.narrative);
      log = withCompaction(log, outcome);
      work(builder, 100 * round, 24);
      log = { messages: builder.messages, marks: log.marks };
    }
    expect(narratives[0]).not.toContain('incorporates');
    expect(narratives[1]).toMatch(
      /^This summary incorporates 1 previous round of compaction\.\n\n### Original Task/,
    );
    expect(narratives[2]).toMatch(
      /^This summary incorporates 2 previous rounds of compaction\.\n\n### Original Task/,
    );
    for (const heading of SECTION_HEADINGS) expect(narratives[2]?.split(`### ${heading}\n`)).toHaveLength(2);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('without repetitions');
    const shown = JSON.stringify(buildView(log).map(({ message }) => message));
    expect(shown.match(/## Session Summary/g)).toHaveLength(1);
  });

  it('keeps the decisions of an earlier round when no model answers', async () => {
    const builder = session();
    const first = expectCompacted(
      await compactLog(builder.log, { strategy, summarise: summariser(WRITTEN).summarise }),
    );
    const { marks } = withCompaction(builder.log, first);
    work(builder, 100, 24);
    const second = expectCompacted(await compactLog({ messages: builder.messages, marks }, { strategy }));
    expect(second.compaction.summary.narrative).toContain('- Hand-written, since generators are slow');
    expect(second.compaction.summary.narrative).toContain('| src/f123.ts | modified |');
  });

  it('has at most 800 tokens, however long the answer and the task are', async () => {
    const builder = work(
      new LogBuilder().user(`Port it. ${'Mind this detail. '.repeat(900)} Done then.`),
      0,
      60,
    );
    const long = WRITTEN.replace('The lexer works.', 'The lexer works, '.repeat(170));
    for (const summarise of [undefined, summariser(long).summarise]) {
      const outcome = expectCompacted(
        await compactLog(builder.log, { strategy, windowTokens: 32_000, summarise }),
      );
      const { narrative } = outcome.compaction.summary;
      expect(countByClasses(narrative)).toBeLessThanOrEqual(800);
      expect(narrative).toMatch(
        /### Original Task\nPort it\. [^#]*handle m1 …\][^#]*Done then\.\n\n### Completed Work/,
      );
      for (const heading of SECTION_HEADINGS) expect(narrative).toContain(`### ${heading}\n`);
    }
  });
});

import { describe, expect, it } from 'vitest';
import {
  call,
  compactOptions,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import { compact } from '../compact.ts';
import { decideRequest } from '../decide.ts';
import type { ContextLog } from '../log.ts';
import type { SummaryReply, SummaryRequest } from '../narrative.ts';
import type { CompressionStrategy } from '../strategy.ts';
import { buildView } from '../view.ts';
import { ProactiveThresholdStrategy } from './proactive-threshold.ts';
import { ReactiveOverflowStrategy } from './reactive-overflow.ts';
import { StructuredSummaryStrategy } from './structured-summary.ts';

const FILES = 60;
const SYLLABLES = ['ba', 'ke', 'mo', 'ri', 'tu', 'la', 'vo', 'ne', 'si', 'du'];

function syllable(index: number): string {
  return SYLLABLES[index % SYLLABLES.length] ?? '';
}

/** A word of prose: a ledger does not index it, so only a narrative can keep it. */
const WORDS = Array.from(
  { length: FILES },
  (_, index) => `${syllable(index)}${syllable(Math.floor(index / 10))}${syllable(index * 3 + 1)}lin`,
);

/** About 700 tokens without a line break. */
function denseText(index: number): string {
  const sentences = Array.from(
    { length: 48 },
    (_, line) =>
      `The ${syllable(index + line)}${syllable(line)} was moved ${(index * 7 + line) % 12} times before the ${syllable(line * 3)} arrived.`,
  );
  sentences.splice(20, 0, `The word of this file is ${WORDS[index]}.`);
  return sentences.join(' ');
}

/** Answers in prose, with each word that the request contains. */
async function summarise({ messages }: SummaryRequest): Promise<SummaryReply> {
  const shown = JSON.stringify(messages);
  const known = WORDS.filter((word) => shown.includes(word));
  const text = `I read one file after the other. Their words so far, in order, are ${known.join(', ')}. The next file follows.`;
  return { status: 'ok', text, finishedBy: 'stop' };
}

interface Task {
  windowTokens: number;
  strategy: CompressionStrategy;
  /** The rounds in which the model does not answer. */
  failsIn?: (round: number) => boolean;
}

async function wordsAtTheEnd({ windowTokens, strategy, failsIn = () => false }: Task): Promise<number> {
  const builder = new LogBuilder().user('Read all 60 files, and list the word of each at the end.');
  let log: ContextLog = builder.log;
  let round = 1;
  for (let index = 0; index < FILES; index += 1) {
    builder.step(call('read', { input: { path: `texts/t${index}` }, output: denseText(index) }));
    log = { messages: builder.messages, marks: log.marks };
    const answer = failsIn(round)
      ? async (): Promise<SummaryReply> => ({ status: 'failed', reason: 'the server is busy' })
      : summarise;
    const options = compactOptions(log, {
      windowTokens,
      maxOutputTokens: 2_000,
      strategy,
      summarise: answer,
    });
    const policy = {
      strategy,
      auto: true,
      ledgerShare: options.ledgerShare,
      protectedTools: new Set<string>(),
    };
    if (decideRequest({ ...options, policy }).action !== 'compact') continue;
    log = withCompaction(log, expectCompacted(await compact(options)));
    round += 1;
  }
  const shown = JSON.stringify(buildView(log).map(({ message }) => message));
  return WORDS.filter((word) => shown.includes(word)).length;
}

describe.each([
  ['reactive-overflow', () => new ReactiveOverflowStrategy()],
  ['proactive-threshold', () => new ProactiveThresholdStrategy()],
  ['structured-summary', () => new StructuredSummaryStrategy()],
] as const)('%s, with answers in prose', (_name, create) => {
  it('keeps the words of 60 files of dense text', async () => {
    expect(new Set(WORDS).size).toBe(FILES);
    expect(await wordsAtTheEnd({ windowTokens: 8_000, strategy: create() })).toBeGreaterThanOrEqual(40);
    expect(await wordsAtTheEnd({ windowTokens: 16_000, strategy: create() })).toBe(FILES);
  });

  it('keeps the words of earlier rounds when the model fails in a round', async () => {
    const failsIn = (round: number) => round % 3 === 0;
    const kept = await wordsAtTheEnd({ windowTokens: 16_000, strategy: create(), failsIn });
    const lost = await wordsAtTheEnd({ windowTokens: 16_000, strategy: create(), failsIn: () => true });
    expect(lost).toBeLessThan(FILES / 2);
    expect(kept).toBeGreaterThan(lost + 10);
  });
});

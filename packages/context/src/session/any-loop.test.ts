import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aiSdkHost, type Host, openAiHost } from '../../test/loops/hosts.ts';
import { anthropicHost, langChainHost, responsesHost } from '../../test/loops/provider-hosts.ts';
import { type AnyLoop, anyLoop, type LoopOutcome, playLoop } from '../../test/loops/random-loop.ts';

const RUNS = 25;

const LOOPS: [format: string, play: (loop: AnyLoop) => Promise<LoopOutcome>][] = [
  ['OpenAI chat messages', player(openAiHost)],
  ['AI SDK messages', player(aiSdkHost)],
  ['LangChain messages', player(langChainHost)],
  ['OpenAI Responses items', player(responsesHost)],
  ['Anthropic messages', player(anthropicHost)],
];

function player<M>(host: Host<M>) {
  return (loop: AnyLoop) => playLoop(host, loop);
}

describe('a random loop with system messages, images, parallel calls, reasoning and edits', () => {
  it.each(LOOPS)(
    'of %s sends no request over the window, or ends with context_exhausted',
    async (_, play) => {
      const outcomes: LoopOutcome[] = [];
      const property = fc.asyncProperty(anyLoop, async (loop) => {
        outcomes.push(await play(loop));
      });
      await fc.assert(property, { numRuns: RUNS });
      const compactions = outcomes.reduce((sum, outcome) => sum + outcome.compactions, 0);
      expect(compactions).toBeGreaterThan(RUNS / 2);
      expect(outcomes.filter(({ isExhausted }) => !isExhausted).length).toBeGreaterThan(RUNS / 4);
    },
  );
});

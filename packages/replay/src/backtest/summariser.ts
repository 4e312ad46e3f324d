import { type Summarise, viewMessageTokens } from '@longhaul/context/engine';
import { eventTokens } from './recorded-session.ts';

export interface CountedSummariser {
  summarise?: Summarise;
  /** Returns the tokens of its calls so far, input and output. */
  tokens(): number;
}

/** Counts the tokens of summary calls by characters, as for events. */
export function countedSummariser(summarise: Summarise | undefined): CountedSummariser {
  let tokens = 0;
  if (summarise === undefined) return { tokens: () => 0 };
  return {
    tokens: () => tokens,
    async summarise(request) {
      for (const message of request.messages)
        tokens += viewMessageTokens(message, (text) => Math.floor(text.length / 4));
      const reply = await summarise(request);
      if (reply.status === 'ok') tokens += eventTokens(reply.text);
      return reply;
    },
  };
}

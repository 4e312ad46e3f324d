import type { EventOf } from './events.ts';

/** Says in one sentence which model the session has now, for `llm:switched`. */
export function describeSwitch({ newConfig }: Pick<EventOf<'llm:switched'>, 'newConfig'>): string {
  const { model, windowTokens } = newConfig;
  const name = typeof model === 'string' ? model : 'another one';
  const window =
    typeof windowTokens === 'number' ? `, with a window of ${windowTokens.toLocaleString('en')} tokens` : '';
  return `The model of this session is now ${name}${window}. The conversation is kept.`;
}

import type { ChatMessage } from '@longhaul/protocol';
import { replaceLoneEscapes } from '../wire/lone-surrogates.ts';
import { changeCalls } from './change-calls.ts';
import { fittedNames } from './tool-names.ts';

export interface FitOptions {
  /** Names of the tools that the request defines. */
  defined: ReadonlySet<string>;
  /** The whole history, if `messages` are a part of it: a name has the same form in every request of a chat. */
  history?: readonly ChatMessage[];
}

/**
 * Returns the messages with calls that servers accept. Models invent names such as `functions.bash`, and servers that
 * check names would refuse every later request of the chat. The same list if no message needs a change; each message
 * that needs none is the same object.
 */
export function fitCalls(
  messages: readonly ChatMessage[],
  { defined, history = messages }: FitOptions,
): readonly ChatMessage[] {
  const names = fittedNames(usedNames(history), defined);
  const fitted = messages.map((message) =>
    changeCalls(message, { name: (name) => names.get(name) ?? name, arguments: replaceLoneEscapes }),
  );
  return fitted.some((message, index) => message !== messages[index]) ? fitted : messages;
}

function usedNames(messages: readonly ChatMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string) => {
    names.add(name);
    return name;
  };
  for (const message of messages) changeCalls(message, { name: note, arguments: (json) => json });
  return names;
}

import { noModelMessage } from '@longhaul/config';
import type { ErrorCode, ErrorShape } from '@longhaul/protocol';

const FOR_KEY = 'In this chat, /login stores a key, and /model chooses another model.';
const FOR_WINDOW = 'In this chat, /window N sets the size of the window, and /model chooses another model.';

/** What a person can enter here after an error. Its message names commands of the shell. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  key_missing: FOR_KEY,
  provider_auth: FOR_KEY,
  window_unknown: FOR_WINDOW,
  context_exhausted: FOR_WINDOW,
};

const NO_MODEL =
  'There is no model yet. /login stores the key of a provider, and /model chooses a model. For a model on this machine, start its server and enter /model.';

/** Returns the message of an error, with what a person can do about it in the chat. */
export function problemText({ code, message }: Pick<ErrorShape, 'code' | 'message'>): string {
  if (message === noModelMessage()) return NO_MODEL;
  const advice = ADVICE[code];
  return advice === undefined ? message : `${message}\n${advice}`;
}

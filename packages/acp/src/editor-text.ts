import type { ErrorCode, ErrorShape } from '@longhaul/protocol';

/** Replaces a message that lists commands and flags of the shell. */
const NO_MODEL =
  'There is no model yet. Store the key of a provider with longhaul login in a terminal, name a model in longhaul.yml, or start a server for models on this machine. Then try again.';

/** What a person can do in the editor after an error. Its message names commands of the shell or settings. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  key_missing: 'A stored key is used from the next prompt on. To use another model, choose it in the editor.',
  provider_auth:
    'A stored key is used from the next prompt on. To use another model, choose it in the editor.',
  unknown_model: 'The editor lists the models that you can choose.',
  model_not_found: 'To use another model, choose it in the editor.',
  window_unknown: 'To use another model, choose it in the editor.',
};

/** Returns the message of an error, with what a person can do about it in an editor. */
export function editorText({ code, message }: Pick<ErrorShape, 'code' | 'message'>): string {
  if (code === 'model_not_configured') return NO_MODEL;
  const advice = ADVICE[code];
  return advice === undefined ? message : `${message}\n${advice}`;
}

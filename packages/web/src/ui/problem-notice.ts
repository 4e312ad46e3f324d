import { toLonghaulError } from '@longhaul/protocol';
import type { Notice } from './toasts.tsx';

const NO_MODEL = {
  title: 'There is no model yet.',
  description:
    'On the machine of the server, start a local server of models such as Ollama, or store the key of a provider with longhaul login. Settings shows the models that were found.',
};

/** The toast for a failure: what went wrong, and below it what to do. */
export function problemNotice(thrown: unknown): Notice {
  const { code, message } = toLonghaulError(thrown);
  // The message lists commands and files that cannot be used here.
  if (code === 'model_not_configured') return { kind: 'bad', ...NO_MODEL };
  const end = /(?<=\.) (?=[A-Z])|\n/.exec(message)?.index;
  if (end === undefined) return { kind: 'bad', title: message };
  return { kind: 'bad', title: message.slice(0, end), description: message.slice(end).trim() };
}

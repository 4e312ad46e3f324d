import { isObject, type JsonObject, type Session } from '@longhaul/protocol';
import type { OneAnswer } from '../model-call/one-answer.ts';

/** How many runs ask for the title of a session. */
const MAX_TRIES = 2;

const KEY = 'titleFailure';

/** Returns the metadata that keeps why a model gave no title. */
export function titleFailure(session: Session, answer: OneAnswer): JsonObject {
  const reason =
    answer.status === 'failed'
      ? answer.reason
      : 'the answer of the model has no title, or the one that the session has';
  return { [KEY]: { tries: triesOf(session) + 1, reason } };
}

export function mayAsk(session: Session): boolean {
  return triesOf(session) < MAX_TRIES;
}

function triesOf({ metadata }: Session): number {
  const failure = metadata?.[KEY];
  const tries = isObject(failure) ? failure['tries'] : 0;
  return typeof tries === 'number' ? tries : 0;
}

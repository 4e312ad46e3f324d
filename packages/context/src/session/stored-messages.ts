import { LonghaulError } from '@longhaul/protocol';
import { withDecodedBytes } from './bytes-in-json.ts';
import type { ContextSessionOptions } from './session-types.ts';

/**
 * Returns the messages with which a session begins: those of its state, or those that the program has stored.
 *
 * @throws {LonghaulError} `invalid_request` for a state of an unknown version, or if messages are missing.
 */
export function storedMessages<M>({
  state,
  messages,
}: Pick<ContextSessionOptions<M>, 'state' | 'messages'>): readonly M[] {
  if (state === undefined) return messages ?? [];
  if (state.version !== 1)
    throw new LonghaulError(
      'invalid_request',
      `Unknown version of a session's state: ${state.version}. The known version is 1.`,
    );
  if (state.messages !== undefined && messages !== undefined)
    throw new LonghaulError(
      'invalid_request',
      'Both the state and the option messages have messages. Pass a state of marksOnly(), or leave out messages.',
    );
  const stored = messages ?? state.messages?.map(withDecodedBytes) ?? [];
  const { messageCount = stored.length } = state;
  if (stored.length >= messageCount) return stored;
  throw new LonghaulError(
    'invalid_request',
    `The state is of a session with ${messageCount} messages, but ${stored.length} were passed. Pass the whole history as messages, from its first message.`,
    { data: { messageCount, historyCount: stored.length } },
  );
}

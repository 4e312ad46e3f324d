import { LonghaulError, type MessageOrigin, type Session } from '@longhaul/protocol';

/**
 * Returns the origin of a message that a session sends to another.
 *
 * @throws {LonghaulError} `invalid_request` if both are the same session.
 */
export function sessionOrigin(
  sender: Pick<Session, 'id' | 'title'>,
  receiver: Pick<Session, 'id'>,
): MessageOrigin {
  if (sender.id === receiver.id)
    throw new LonghaulError(
      'invalid_request',
      'A session cannot send a message to itself. Name another session as the sender.',
    );
  return { kind: 'session', sessionId: sender.id, title: sender.title };
}

import { type Approval, handleOf, type Message, type Part } from '@longhaul/protocol';

/**
 * Whether a call must stay pending when a session is repaired: somebody was asked to approve it, or another call of its message, and none
 * of them has started. Only the last message can hold such calls.
 */
export function isWaitingIn(
  messages: readonly Message[],
  approvals: readonly Approval[],
): (message: Message, part?: Part) => boolean {
  const last = messages.at(-1);
  const asked = new Set(approvals.map(({ handle }) => handle));
  const waits = last?.parts.some(
    (part, index) => isPending(part) && asked.has(handleOf(last.sequence, index)),
  );
  return (message, part) => waits === true && message === last && (part === undefined || isPending(part));
}

function isPending(part: Part): boolean {
  return part.type === 'tool' && part.state === 'pending';
}

import { type Approval, handleOf, type Message, type Part } from '@longhaul/protocol';
import { withoutLastNotes } from '../messages/compaction-notes.ts';

/**
 * Returns a function that decides whether a call must stay open when a session is repaired. It must if the last message
 * has a pending call with a request for approval, or a running call that can be repeated. Then all pending calls of that
 * message stay, too.
 */
export function isWaitingIn(
  messages: readonly Message[],
  approvals: readonly Approval[],
  isRepeatable: (toolName: string) => boolean,
): (message: Message, part?: Part) => boolean {
  const last = withoutLastNotes(messages).at(-1);
  const requested = new Set(approvals.map(({ handle }) => handle));
  const isRepeated = (part: Part) =>
    part.type === 'tool' && part.state === 'running' && isRepeatable(part.name);
  const isWaiting = last?.parts.some(
    (part, index) => isRepeated(part) || (isPending(part) && requested.has(handleOf(last.sequence, index))),
  );
  return (message, part) =>
    isWaiting === true && message === last && (part === undefined || isPending(part) || isRepeated(part));
}

function isPending(part: Part): boolean {
  return part.type === 'tool' && part.state === 'pending';
}

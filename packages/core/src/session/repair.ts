import { INTERRUPTED_RESULT } from '@longhaul/context';
import { isOpen, type Message, type Part } from '@longhaul/protocol';
import type { SessionWriter } from './session-writer.ts';

/**
 * Closes what a dead run left open. A call that had started is answered with "its outcome is unknown"; one that had not is said not to
 * have run. Nothing is started again.
 *
 * @returns How many parts were closed.
 */
export async function repairOpenParts(writer: SessionWriter, now: number): Promise<number> {
  let repaired = 0;
  for (const message of writer.log.messages) {
    for (const [index, part] of message.parts.entries()) {
      if (!isOpen(part)) continue;
      await writer.putPart(message, index, closePart(part, now));
      repaired += 1;
    }
    if (message.status === 'running') await writer.closeMessage(message, closingOf(message));
  }
  return repaired;
}

function closePart(part: Part, now: number): Part {
  if (part.type === 'text' || part.type === 'reasoning') return { ...part, state: 'interrupted' };
  if (part.type !== 'tool') return part;
  const text =
    part.state === 'running' ? INTERRUPTED_RESULT : '[Not run: the run ended before this call was started.]';
  return { ...part, state: 'interrupted', error: text, output: [{ type: 'text', text }], endedAt: now };
}

function closingOf({ finishReason, usage, cost }: Message) {
  return {
    status: 'interrupted' as const,
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
  };
}

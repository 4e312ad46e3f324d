import type { Message, ToolPart } from '@longhaul/protocol';
import { callKind } from './call-kind.ts';

/** Consecutive messages of the model whose calls only read. Both indexes are in it. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
  /** Messages in it with a call that reads. */
  readonly steps: number;
}

/**
 * Returns the exploring stretches of a session that have at least `minSteps` steps, in order. A step whose calls only
 * plan or wait, and a text without calls, do not end a stretch, but neither do they begin or end one.
 */
export async function exploringStretches(messages: readonly Message[], minSteps: number): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  for (const [index, message] of messages.entries()) {
    const kind = await messageKind(message);
    if (kind === 'reads') open = { first: open?.first ?? index, last: index, steps: (open?.steps ?? 0) + 1 };
    if (kind !== 'acts') continue;
    if (open !== undefined) stretches.push(open);
    open = undefined;
  }
  if (open !== undefined) stretches.push(open);
  return stretches.filter(({ steps }) => steps >= minSteps);
}

async function messageKind({ role, parts }: Message): Promise<'reads' | 'neutral' | 'acts'> {
  if (role !== 'assistant') return 'acts';
  const kinds = await Promise.all(callsOf(parts).map(callKind));
  if (kinds.includes('acts')) return 'acts';
  return kinds.includes('reads') ? 'reads' : 'neutral';
}

export function callsOf(parts: Message['parts']): ToolPart[] {
  return parts.filter((part) => part.type === 'tool');
}

import { isOpen, type Message, type Part, type ToolPart } from '@longhaul/protocol';
import type { ToolAnswer } from './message-format.ts';

/**
 * A message of the log, and the caller's messages from which it was read. A step is an answer and the results after it.
 * A later result makes a new group, so that a view from before shows what it was built from.
 */
export interface Group<M> {
  readonly message: Message;
  readonly natives: readonly M[];
  /** By the index of a part: where it was read. Results without a call have none. */
  readonly places: readonly Place[];
  /** By the index of a call's part: where its result was read. */
  readonly results: ReadonlyMap<number, Place>;
}

/** An index in `natives`, and the index of the part or result in that message. */
export interface Place {
  native: number;
  index: number;
}

export function placesOf(parts: readonly Part[], native: number): Place[] {
  return parts.map((_, index) => ({ native, index }));
}

/** Whether a group is an answer that a later message can continue: none of its results has arrived. */
export function isUnanswered<M>({ message, places, results }: Group<M>): boolean {
  return message.role === 'assistant' && results.size === 0 && places.length === message.parts.length;
}

export function isOpenCall(part: Part, callId: string): boolean {
  return part.type === 'tool' && part.callId === callId && isOpen(part);
}

export function answered(call: ToolPart, { output, isError }: ToolAnswer): ToolPart {
  return { ...call, state: isError ? 'error' : 'completed', output };
}

import { isOpen, type Part, type ReasoningPart, type TextPart } from '@longhaul/protocol';
import { rowChecksum } from './row-checksum.ts';

export interface PartTarget {
  messageId: string;
  index: number;
}

export function partRow({ messageId, index }: PartTarget, part: Part) {
  const state = 'state' in part ? part.state : null;
  const row = { messageId, index, type: part.type, state, body: JSON.stringify(part) };
  return { ...row, checksum: rowChecksum('parts', row) };
}

/** Like `isOpen`, for the columns of a row. */
export function isOpenRow({ type, state }: { type: Part['type'] | null; state: string | null }): boolean {
  if (type === 'tool') return state === 'pending' || state === 'running';
  return state === 'running';
}

export function isText(part: Part): part is TextPart | ReasoningPart {
  return part.type === 'text' || part.type === 'reasoning';
}

export function isStreaming(part: Part): part is TextPart | ReasoningPart {
  return isText(part) && isOpen(part) && part.providerMetadata === undefined;
}

/** Removes the first half of a surrogate pair at the end, because its second half has not arrived yet. */
export function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

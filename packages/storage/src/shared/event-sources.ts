import type { Part } from '@longhaul/protocol';
import type { MessageTexts } from './event-copies.ts';
import type { PartRow } from './log-rows.ts';
import { CHANGED_ON_DISK, isSoundRow } from './row-checksum.ts';

/** @throws {Error} If the row is damaged. */
export function soundPart(row: PartRow): Part {
  if (!isSoundRow('parts', row)) throw new Error(CHANGED_ON_DISK);
  return JSON.parse(row.body);
}

/** Returns the joined texts of a message's parts. */
export function textsOf(all: readonly Part[]): MessageTexts | undefined {
  const joined = (type: 'text' | 'reasoning') =>
    all.map((part) => (part.type === type ? part.text : '')).join('');
  return all.length === 0 ? undefined : { text: joined('text'), reasoning: joined('reasoning') };
}

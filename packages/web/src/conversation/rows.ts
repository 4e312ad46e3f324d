import { parseHandle } from '@longhaul/protocol';
import type { ContextInfo, ListedMessage } from '@longhaul/protocol/api';

export type HiddenByCompaction = ContextInfo['hidden'][number];

/** A line of the conversation: a message, or a compaction after the last message of its time. */
export type Row =
  | { key: string; kind: 'message'; sequence: number; message: ListedMessage }
  | { key: string; kind: 'compaction'; sequence?: undefined; compaction: HiddenByCompaction };

/** Puts the compactions between the messages. Compactions before the first loaded message are left out. */
export function rowsOf(
  messages: readonly ListedMessage[],
  compactions: readonly HiddenByCompaction[],
): readonly Row[] {
  const sorted = compactions.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0) || a.round - b.round);
  const first = messages[0]?.sequence ?? 0;
  let next = sorted.findIndex(({ at = 0 }) => at >= first);
  if (next === -1) next = sorted.length;
  const rows: Row[] = [];
  for (const message of messages) {
    rows.push({ key: message.id, kind: 'message', sequence: message.sequence, message });
    for (; (sorted[next]?.at ?? Number.POSITIVE_INFINITY) <= message.sequence; next += 1)
      rows.push(...sorted.slice(next, next + 1).map(compactionRow));
  }
  return [...rows, ...sorted.slice(next).map(compactionRow)];
}

function compactionRow(compaction: HiddenByCompaction): Row {
  return { key: compaction.compactionId, kind: 'compaction', compaction };
}

/** The sequence of the message that a handle names, such as `m12` or `m12.3`. */
export function sequenceOf(handle: string | undefined): number | undefined {
  return handle === undefined ? undefined : parseHandle(handle)?.sequence;
}

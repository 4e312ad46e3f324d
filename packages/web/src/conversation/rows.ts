import { parseHandle } from '@longhaul/protocol';
import type { ContextInfo, ListedMessage } from '@longhaul/protocol/api';

export type HiddenByCompaction = ContextInfo['hidden'][number];

/** A line of the conversation: a message, or a compaction at the time when it was made. */
export type Row =
  | { key: string; kind: 'message'; sequence: number; message: ListedMessage }
  | { key: string; kind: 'compaction'; sequence?: undefined; compaction: HiddenByCompaction };

/** Puts the compactions between the messages. Compactions before the first loaded message are left out. */
export function rowsOf(
  messages: readonly ListedMessage[],
  compactions: readonly HiddenByCompaction[],
): readonly Row[] {
  const sorted = compactions.toSorted((a, b) => a.createdAt - b.createdAt);
  const rows: Row[] = [];
  let next =
    messages[0] === undefined ? 0 : sorted.findIndex(({ createdAt }) => createdAt >= messages[0]!.createdAt);
  if (next === -1) next = sorted.length;
  for (const message of messages) {
    for (; next < sorted.length && sorted[next]!.createdAt < message.createdAt; next += 1)
      rows.push(compactionRow(sorted[next]!));
    rows.push({ key: message.id, kind: 'message', sequence: message.sequence, message });
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

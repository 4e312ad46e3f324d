import { isObject, type JsonObject } from '@longhaul/protocol';
import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';

export interface TodoItem {
  text: string;
  status: string;
}

const MAX_LINES = 5;

/** Reads the list from the result of the tool `todo`. Undefined: the call has left the list as it was. */
export function todoItemsOf(metadata: JsonObject | undefined): TodoItem[] | undefined {
  const items = metadata?.['items'];
  if (!Array.isArray(items)) return undefined;
  return items.flatMap((item) =>
    isObject(item) && typeof item['text'] === 'string' && typeof item['status'] === 'string'
      ? [{ text: item['text'], status: item['status'] }]
      : [],
  );
}

/** The open items, the current one first. Empty if all are done. */
export function todoLines(
  items: readonly TodoItem[],
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const open = items.filter(({ status }) => status !== 'done');
  if (open.length === 0) return [];
  const done = items.length - open.length;
  const sorted = open.toSorted(
    (a, b) => Number(b.status === 'in_progress') - Number(a.status === 'in_progress'),
  );
  const shown = sorted.slice(0, MAX_LINES).map(({ text, status }) => {
    const line = fitLine(text, columns - 4);
    return status === 'in_progress' ? `  ${paint.note('▸')} ${line}` : paint.dim(`  ☐ ${line}`);
  });
  const more = sorted.length - shown.length;
  return [
    paint.dim(`todo ${done}/${items.length}`),
    ...shown,
    ...(more > 0 ? [paint.dim(`  +${more} more`)] : []),
  ];
}

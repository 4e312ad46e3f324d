import type { DamagedRow } from '@longhaul/core';
import { plural } from './format.ts';
import { wrapText } from './word-wrapper.ts';

const SHOWN = 20;

/** Names the damaged rows of a session: its messages and parts by handle, other rows by table. */
export function damageLines(
  sessionId: string,
  damaged: readonly DamagedRow[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const lines = damaged
    .slice(0, SHOWN)
    .map(({ table, id, handle, reason }) => `  ${handle ?? `${table} ${id}`}: ${reason}`);
  const more = damaged.length > SHOWN ? [`  and ${damaged.length - SHOWN} more`] : [];
  const head = `longhaul: Session ${sessionId} is damaged. ${plural(damaged.length, 'row')} of it ${damaged.length === 1 ? 'is' : 'are'} changed or lost on disk:`;
  return wrapText([head, ...lines, ...more].join('\n'), columns);
}

import type { SessionSpent } from '@longhaul/core';
import type { ShownChild, ShownFamily } from '../session/read-family.ts';
import { distinctIds, fitLine, formatCost, formatTokens, plural, shortId } from './format.ts';
import type { Paint } from './paint.ts';
import { field } from './run-summary.ts';

/** `12 steps · 48k tokens · $0.04` */
function spentText({ steps, usage, cost }: SessionSpent): string {
  const dollars = cost === undefined ? '' : ` · ${formatCost(cost)}`;
  return `${plural(steps, 'step')} · ${formatTokens(usage.totalTokens)} tokens${dollars}`;
}

/** The lines of a session's head about its family. Empty if it has none. */
export function familyFields(
  { parent, spent, spentByChildren }: ShownFamily,
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const room = columns - 9;
  const call = parent?.handle === undefined ? '' : `, call ${parent.handle}`;
  const of =
    parent === undefined
      ? []
      : [
          field(
            'child of',
            fitLine(`${shortId(parent.id)}${call}: ${parent.title ?? '(deleted)'}`, room),
            paint,
          ),
        ];
  if (spentByChildren === undefined) return of;
  const children = `${plural(spentByChildren.sessions, 'session')} · ${spentText(spentByChildren)}`;
  return [
    ...of,
    field('own', fitLine(spentText(spent), room), paint),
    field('children', fitLine(children, room), paint),
  ];
}

const INDENT = '    ';

/** The line of a child below the call that has started it. */
export function childLines(
  children: readonly ShownChild[],
  { columns, paint }: { columns: number; paint: Paint },
): Map<string, string> {
  const ids = distinctIds(children.map(({ id }) => id));
  return new Map(
    children.map(({ id, state, spent }) => {
      const text = `▸ ${state} · ${spentText(spent)} · longhaul show ${ids.get(id) ?? id}`;
      return [id, `${INDENT}${paint.note(fitLine(text, columns - INDENT.length))}\n`];
    }),
  );
}

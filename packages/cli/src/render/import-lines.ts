import { basename } from 'node:path';
import type { ImportOutcome } from '../import/import-file.ts';
import { fitLine, plural, shortId } from './format.ts';
import { createPaint } from './paint.ts';
import { wrapText } from './word-wrapper.ts';

const MAX_REASONS = 4;

/** Reports the outcome for a file, and below it the content that was not imported. */
export function importLines(
  name: string,
  outcome: ImportOutcome,
  { columns, colors, workspace }: { columns: number; colors: boolean; workspace: string },
): string {
  const paint = createPaint(colors);
  if (outcome.status === 'problem') {
    const lines = wrapText(`${name}: ${outcome.message}`, columns - 2).trimEnd();
    return `${paint.bad('✗')} ${lines.replaceAll('\n', '\n  ')}\n`;
  }
  const { file } = outcome;
  const { sessionId, title, format, messages, calls, marks, children, skipped, recordedWorkspace } = file;
  const what = [
    format,
    plural(messages, 'message'),
    plural(calls, 'call'),
    ...(marks === 0 ? [] : [plural(marks, 'mark')]),
    ...(children === undefined ? [] : [plural(children, 'child session')]),
  ];
  const below = (text: string) => paint.dim(`  ${fitLine(text, columns - 2)}`);
  const reasons = skipped
    .slice(0, MAX_REASONS)
    .map(({ reason, count, where }) => below(`left out: ${count} × ${reason}, first at ${where}`));
  const more = skipped.length - MAX_REASONS;
  return `${[
    `${paint.good('✓')} ${paint.note(shortId(sessionId))}  ${fitLine(title, columns - 17)}`,
    below(`${what.join(', ')}, from ${basename(name)}`),
    ...reasons,
    ...(more > 0 ? [below(`and ${plural(more, 'other reason')}: --json names them all`)] : []),
    ...(recordedWorkspace === undefined || recordedWorkspace === workspace
      ? []
      : [below(`recorded in ${recordedWorkspace}; it continues in ${workspace}`)]),
  ].join('\n')}\n`;
}

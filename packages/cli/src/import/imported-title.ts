import { isBlank } from '@longhaul/protocol';
import type { ImportReport } from '@longhaul/replay';

const MAX_TITLE_CHARS = 80;

/** The recorded title, or else the first line that the user wrote. */
export function importedTitle({ title, firstUserText, summaryTitle }: ImportReport): string {
  const line = firstLine(title) || firstLine(firstUserText) || firstLine(summaryTitle) || 'Imported session';
  return line.length <= MAX_TITLE_CHARS ? line : `${line.slice(0, MAX_TITLE_CHARS - 1)}…`;
}

/** The first line that is more than a tag: prompts made from templates start with `<issue>`. */
function firstLine(text = ''): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => !isBlank(line) && !/^<\/?[\w-]+>$/.test(line)) ?? '';
}

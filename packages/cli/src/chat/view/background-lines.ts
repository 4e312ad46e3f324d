import { fitLine, plural } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import type { BackgroundCommand } from '../session/session-state.ts';

const MAX_LINES = 3;

/** The commands that run in the background, the newest first. */
export function backgroundLines(
  commands: readonly BackgroundCommand[],
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  const newest = commands.toReversed();
  const shown = newest.slice(0, MAX_LINES).map(({ handle, command, isKept }) => {
    const kept = isKept ? ' (kept)' : '';
    return fitLine(`background ${handle}${kept} ${command}`, columns);
  });
  const more = newest.length - shown.length;
  const all = more > 0 ? [...shown, `background +${plural(more, 'more command')}`] : shown;
  return all.map((line) => paint.dim(line));
}

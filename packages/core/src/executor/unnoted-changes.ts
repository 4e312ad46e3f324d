import type { Message } from '@longhaul/protocol';

/**
 * Returns the paths that others have changed since the last note about changed files: the process that recorded the
 * changes may have stopped before the note.
 */
export function unnotedChanges(messages: readonly Message[]): string[] {
  const noted = messages.findLastIndex(({ metadata }) => metadata?.synthetic === 'files-changed');
  const paths = messages.slice(noted + 1).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const isOfOthers = part.type === 'patch' && !part.byAgent && part.atRevert === undefined;
      return isOfOthers ? part.files.map(({ path }) => path) : [];
    }),
  );
  return [...new Set(paths)];
}

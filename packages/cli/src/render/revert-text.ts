import type { RevertResult } from '@longhaul/core';
import { fileChangeLines, shownName } from './file-change-lines.ts';
import { plural } from './format.ts';
import type { Paint } from './paint.ts';

/** Files that the text lists of each kind. */
const MAX_LISTED = 20;

export interface RevertTextOptions {
  command: 'revert' | 'unrevert';
  /** Where the conversation continues. Default: before the message. */
  place?: 'before' | 'after';
  /**
   * Whether files that others have changed were left as they are, or restored too. `ask`: the person decides later.
   * Absent: they block the revert.
   */
  others?: 'keep' | 'force' | 'ask' | undefined;
  /** What takes a revert back, such as `/unrevert`. */
  takeBack: string;
  paint: Paint;
}

/** A revert in the chat. */
export const SLASH_REVERT = { command: 'revert', takeBack: '/unrevert' } as const;

/** Describes what a revert, or taking one back, has changed or would change. */
export function revertText(result: RevertResult, options: RevertTextOptions): string {
  if (result.status === 'blocked') return blockedText(result);
  if (result.status === 'unchanged')
    return result.skipped.length === 0
      ? 'Nothing to do: files and conversation are already in that state.\n'
      : `Nothing was restored.\n${skippedText(result)}`;
  return [
    filesText(result, options),
    skippedText(result),
    othersText(result, options),
    conversationText(result, options),
    lastLine(result, options),
  ].join('');
}

/** Lists the files that block a revert. */
export function blockedText({ conflicts }: Pick<RevertResult, 'conflicts'>): string {
  const count = plural(conflicts.length, 'file');
  return `Nothing was done: somebody else changed ${count} that would be restored or deleted:\n${listed(conflicts.map(shownName))}`;
}

/** Says how a blocked revert can be done on the command line. */
export function unblockText(
  { conflicts }: Pick<RevertResult, 'conflicts'>,
  { command, takeBack }: Pick<RevertTextOptions, 'command' | 'takeBack'>,
): string {
  const them = conflicts.length === 1 ? 'it' : 'them';
  const then =
    command === 'revert'
      ? `The files as they are now are recorded first: ${takeBack} brings them back.`
      : 'An unrevert cannot be taken back.';
  return `To leave ${them} and restore the other files, add --keep.\nTo overwrite ${them} too, add --force. ${then}\n`;
}

function filesText(
  { files, more, withoutFiles }: RevertResult,
  { paint }: Pick<RevertTextOptions, 'paint'>,
): string {
  return withoutFiles
    ? 'No files were recorded before this message, so none were restored.\n'
    : fileChangeLines({ files, more }, { paint, limit: MAX_LISTED });
}

function skippedText({ status, skipped }: RevertResult): string {
  if (skipped.length === 0) return '';
  const lines = skipped.map(({ path, reason }) => `${shownName(path)}: ${reason}`);
  const left = status === 'preview' ? 'Would be left' : 'Left';
  return `${left} as ${skipped.length === 1 ? 'it is' : 'they are'}:\n${listed(lines)}`;
}

/** Lists the files that others have changed and that the revert concerns. */
function othersText({ status, conflicts, skipped }: RevertResult, { others }: RevertTextOptions): string {
  const left = new Set(skipped.map(({ path }) => path));
  const paths = conflicts.filter((path) => !left.has(path));
  if (paths.length === 0) return '';
  const hint = status === 'preview' ? PREVIEW_HINTS[others ?? 'none'] : DONE_HINTS[others ?? 'none'];
  return `Changed by somebody else, ${hint}:\n${listed(paths.map(shownName))}`;
}

const PREVIEW_HINTS = {
  keep: 'would be left as they are',
  force: 'would be overwritten or deleted',
  ask: 'so you are asked whether they are restored too',
  none: 'so nothing would be done without --keep (leaves them) or --force (overwrites them)',
};
const DONE_HINTS = {
  keep: 'left as they are',
  force: 'overwritten or deleted',
  ask: 'restored',
  none: 'restored',
};

function conversationText(
  { status, conversation, handle, hides }: RevertResult,
  { command, place = 'before' }: RevertTextOptions,
): string {
  if (!conversation) return '';
  const isPreview = status === 'preview';
  if (command === 'unrevert')
    return `The hidden messages ${isPreview ? 'would be' : 'are'} part of the conversation again.\n`;
  const continues = isPreview ? 'would continue' : 'continues';
  const are = isPreview ? 'would be' : hides === 1 ? 'is' : 'are';
  const others = place === 'before' ? 'later message' : 'message';
  return `The conversation ${continues} ${place} ${handle}; ${plural(hides, others)} ${are} hidden, not deleted.\n`;
}

function lastLine({ status }: RevertResult, { command, takeBack, paint }: RevertTextOptions): string {
  if (status === 'preview') return 'This is a preview: nothing was changed.\n';
  return command === 'revert' ? `${paint.dim(`To take this back: ${takeBack}`)}\n` : '';
}

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${line}\n`);
  const rest = lines.length - shown.length;
  return shown.join('') + (rest > 0 ? `  … and ${rest} more\n` : '');
}

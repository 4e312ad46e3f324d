import type { UndoResult } from '@longhaul/core';
import { formatTokens, plural } from './format.ts';
import { wrapText } from './word-wrapper.ts';

/** Describes what undoing a compaction has changed. */
export function undoText(result: UndoResult, columns: number): string {
  if (result.status === 'nothing') return 'Nothing to undo: no compaction hides anything in this session.\n';
  if (result.status === 'restored') {
    const text = `Requests contain ${result.handles.join(', ')} again: ${formatTokens(result.tokens)} tokens. If the server still refuses this, it is left out again.`;
    return wrapText(text, columns);
  }
  const { round, shown, tokens, usableTokens, fits } = result;
  const seen = `Compaction ${round} is undone: the model sees ${plural(shown, 'message')} again.`;
  const of = usableTokens === undefined ? '' : ` of ${formatTokens(usableTokens)} that fit`;
  const then = fits
    ? 'Until the window is full, no compaction happens by itself.'
    : 'That is too much: the next run has to compact again.';
  return wrapText(`${seen}\nThe next request has ${formatTokens(tokens)} tokens${of}. ${then}`, columns);
}

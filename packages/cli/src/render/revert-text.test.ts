import type { RevertResult } from '@longhaul/core';
import { describe, expect, it } from 'vitest';
import { createPaint } from './paint.ts';
import { type RevertTextOptions, revertText, unblockText } from './revert-text.ts';

const done: RevertResult = {
  status: 'reverted',
  handle: 'm4',
  conversation: true,
  hides: 2,
  files: [{ path: 'a', change: 'modified', added: 1, removed: 2, restorable: true }],
  skipped: [],
  conflicts: [],
};

function textOf(result: Partial<RevertResult>, options: Partial<RevertTextOptions> = {}): string {
  const takeBack = 'longhaul unrevert 1';
  return revertText(
    { ...done, ...result },
    { command: 'revert', takeBack, paint: createPaint(false), ...options },
  );
}

describe('the text of a revert', () => {
  it('says that the conversation continues after the end of a branch', () => {
    expect(textOf({}, { place: 'after' })).toContain(
      'The conversation continues after m4; 2 messages are hidden, not deleted.\n',
    );
  });

  it('lists what was restored, and how to take it back', () => {
    expect(textOf({ skipped: [{ path: 'b', reason: 'it is a secret' }] })).toBe(
      [
        'M a  +1 −2',
        '1 file, +1 −2',
        'Left as it is:',
        '  b: it is a secret',
        'The conversation continues before m4; 2 later messages are hidden, not deleted.',
        'To take this back: longhaul unrevert 1',
        '',
      ].join('\n'),
    );
  });

  it('names the files of others that --force overwrote, without those that could not be restored', () => {
    const conflicts = ['c', 'line\nbreak', 'secret'];
    const text = textOf({ conflicts, skipped: [{ path: 'secret', reason: 'x' }] }, { others: 'force' });
    expect(text).toContain('Changed by somebody else, overwritten or deleted:\n  c\n  "line\\nbreak"\nThe');
    expect(textOf({ conflicts }, { others: 'keep' })).toContain(
      'Changed by somebody else, left as they are:',
    );
  });

  it('shows in a preview what would happen to the files of others', () => {
    const preview: Partial<RevertResult> = { status: 'preview', conflicts: ['c'] };
    expect(textOf(preview)).toContain('so nothing would be done without --keep (leaves them) or --force');
    expect(textOf(preview, { others: 'force' })).toContain('would be overwritten or deleted:\n  c\n');
    expect(textOf(preview, { others: 'keep' })).toContain('would be left as they are:\n  c\n');
    expect(textOf(preview)).toContain('would continue before m4; 2 later messages would be hidden');
  });

  it('reports that a blocked revert changed nothing, and explains --keep and --force', () => {
    const blocked = { status: 'blocked' as const, conflicts: ['c'] };
    expect(textOf(blocked)).toBe(
      'Nothing was done: somebody else changed 1 file that would be restored or deleted:\n  c\n',
    );
    expect(unblockText(blocked, { command: 'revert', takeBack: 'longhaul unrevert 1' })).toBe(
      [
        'To leave it and restore the other files, add --keep.',
        'To overwrite it too, add --force. The files as they are now are recorded first: longhaul unrevert 1 brings them back.',
        '',
      ].join('\n'),
    );
    expect(unblockText({ conflicts: ['a', 'b'] }, { command: 'unrevert', takeBack: '' })).toContain(
      'To overwrite them too, add --force. An unrevert cannot be taken back.',
    );
  });

  it('lists at most 20 files of others', () => {
    const conflicts = Array.from({ length: 25 }, (_, index) => `file${index}`);
    expect(textOf({ status: 'blocked', conflicts })).toMatch(/ {2}file19\n {2}… and 5 more\n$/);
  });
});

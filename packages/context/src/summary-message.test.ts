import { describe, expect, it } from 'vitest';
import { CONTINUATION, renderSummary, type SummarySource } from './summary-message.ts';

const LEDGER = [
  '### Current request (verbatim)\n- (m7) Use tabs.\n  ### Commands, newest first',
  '### Todo list\n[>] Format',
  '### User instructions (verbatim)\n- (m3) Ask first.',
  `### Index of names by file\nsrc/\n  a.ts: ${'some_name '.repeat(400)}`.trimEnd(),
].join('\n\n');

function rendered(summary: SummarySource['summary'], strategy = 'reactive-overflow', round = 2): string {
  return renderSummary({ strategy, round, summary });
}

function headings(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('#'));
}

describe('renderSummary', () => {
  it('introduces the note, and puts the narrative after the request and the todo list', () => {
    const text = rendered({ ledger: LEDGER, narrative: 'In progress: the formatter.' });
    expect(headings(text)).toEqual([
      '## Session Summary (Compaction Round 2)',
      '### Current request (verbatim)',
      '### Todo list',
      '### Narrative',
      '### User instructions (verbatim)',
      '### Index of names by file',
      '### Next',
    ]);
    expect(text).toMatch(
      /^## Session Summary \(Compaction Round 2\)\n\nThis is a note from the program that runs this session, not from the user\. /,
    );
    expect(text.endsWith(`\n\n### Next\n${CONTINUATION}`)).toBe(true);
  });

  it('puts a narrative with its own headings in the same place', () => {
    const narrative = '### Removed from the middle\n12 messages.';
    expect(headings(rendered({ ledger: LEDGER, narrative })).slice(2, 4)).toEqual([
      '### Todo list',
      '### Removed from the middle',
    ]);
  });

  it('shows the ledger of an earlier release as a whole', () => {
    const ledger =
      '### User instructions (verbatim)\n- (m1) x\n\n### Todo list\n[ ] one\n\n### Errors, newest first\n- y';
    const text = rendered({ ledger, narrative: 'So far.' });
    expect(text.endsWith(`\n\n### Narrative\nSo far.\n\n${ledger}`)).toBe(true);
  });

  it('has a short introduction if there is little to introduce', () => {
    const text = rendered({ ledger: '### Current request\nx', narrative: 'We talked. '.repeat(100) });
    expect(text).toContain('A note from the program, not from the user: ');
    expect(text).not.toContain('### Next');
    const tiny = rendered({ ledger: '### Current request\nx', narrative: '' });
    expect(tiny).toBe(
      '## Session Summary (Compaction Round 2)\n\nA note from the program: older messages are hidden.\n\n### Current request\nx',
    );
  });

  it('keeps the form of structured-summary: no introduction, the sections, then the ledger', () => {
    const narrative = 'This summary incorporates 1 previous round.\n\n### Original Task\nBuild it';
    expect(rendered({ ledger: LEDGER, narrative }, 'structured-summary')).toBe(
      `## Session Summary (Compaction Round 2)\n\n${narrative}\n\n${LEDGER}`,
    );
    expect(rendered({ ledger: 'L', narrative: 'N' }, 'structured-summary', 1)).toBe(
      '## Session Summary (Compaction Round 1)\n\nL\n\n### Narrative\nN',
    );
  });

  it('leaves out empty parts', () => {
    expect(headings(rendered({ ledger: '', narrative: '' }))).toEqual([
      '## Session Summary (Compaction Round 2)',
    ]);
    expect(rendered({ ledger: '', narrative: '' }, 'structured-summary', 3)).toBe(
      '## Session Summary (Compaction Round 3)',
    );
  });
});

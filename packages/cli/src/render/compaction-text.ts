import type { CompactSessionResult } from '@longhaul/core';
import { isBlank } from '@longhaul/protocol';
import { someRanges } from './context-page.ts';
import { fitLine, formatTokens, plural } from './format.ts';
import { createPaint } from './paint.ts';
import { field } from './run-summary.ts';
import { wrapText } from './word-wrapper.ts';

export interface CompactionTextOptions {
  columns: number;
  colors: boolean;
  /** The session as the user named it. */
  id: string;
}

/** Describes a compaction that was done, or its preview. */
export function compactionText(result: CompactSessionResult, options: CompactionTextOptions): string {
  const { columns, id } = options;
  if (result.status === 'nothing') {
    const text = `Nothing to do: compacting ${formatTokens(result.tokens)} tokens would save too little. Nothing was changed.`;
    return wrapText(text, columns);
  }
  if (result.status === 'queued') return 'A run works on this session. It compacts before its next step.\n';
  const paint = createPaint(options.colors);
  const { tokensBefore, tokensAfter, strategy, round, hides, pruned, cut, summary } = result;
  const isPreview = result.status === 'preview';
  const sign = paint.note(isPreview ? '◇ would compact' : '◆ compacted');
  const text = [summary.ledger, summary.narrative].filter((part) => !isBlank(part)).join('\n\n');
  const lines = [
    `${sign} ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens (${strategy}, round ${round})`,
    field('hides', `${plural(hides.count, 'message')}: ${someRanges(hides.ranges, columns - 24)}`, paint),
    ...(pruned === 0 ? [] : [field('prunes', plural(pruned, 'tool output'), paint)]),
    ...(cut === 0 ? [] : [field('cuts', `the middle of ${plural(cut, 'text')}`, paint)]),
    ...result.warnings.map((warning) => `${paint.warn('!')} ${fitLine(warning, columns - 2)}`),
    ...wrapText(text, columns - 2)
      .trimEnd()
      .split('\n')
      .map((line) => paint.note('│ ') + line),
    isPreview
      ? paint.dim(`Nothing was changed. To compact, with a narrative by the model: longhaul compact ${id}`)
      : paint.dim(`To undo this: longhaul undo ${id}`),
  ];
  return `${lines.join('\n')}\n`;
}

import type { ContextReport, ContextShares, HiddenByCompaction, MessageRange } from '@longhaul/core';
import { shownModel } from '@longhaul/protocol';
import { fitLine, formatTokens, plural, shortId, spread } from './format.ts';
import { createPaint, type Paint } from './paint.ts';
import { field } from './run-summary.ts';
import { wrapText } from './word-wrapper.ts';

/** What the page shows of a report, whether it comes from this process or from a server. */
type ShownReport = Omit<ContextReport, 'window' | 'hidden' | 'servers'> & {
  window: Omit<ContextReport['window'], 'source'>;
  hidden: ShownCompaction[];
  /** Absent in reports of an older server. */
  servers?: ContextReport['servers'] | undefined;
};
type ShownCompaction = Omit<HiddenByCompaction, 'at'>;

export interface ContextPageOptions {
  title: string;
  columns: number;
  colors: boolean;
}

const LABELS: Readonly<Record<keyof ContextShares, string>> = {
  system: 'system text',
  tools: 'tool schemas',
  ledger: 'ledger',
  narrative: 'narrative',
  user: 'user messages',
  assistant: 'model’s text',
  calls: 'tool calls',
  outputs: 'tool outputs',
  media: 'images, files',
  framing: 'message frames',
};
const LABEL_COLUMNS = 16;
const FIGURE_COLUMNS = 16;
const MAX_COLUMNS = 80;

/** Shows what fills a session's window: a bar for each share, then the messages that the model no longer sees. */
export function contextPage(report: ShownReport, options: ContextPageOptions): string {
  const paint = createPaint(options.colors);
  const columns = Math.min(options.columns, MAX_COLUMNS);
  const page = { paint, columns };
  const head = [
    field('session', fitLine(`${shortId(report.sessionId)}  ${options.title}`, columns - 9), paint),
    field('model', fitLine(`${shownModel(report.model)}, ${report.strategy}`, columns - 9), paint),
  ];
  return `${[...head, '', ...wholeBar(report, page), '', ...shareLines(report, page), '', ...facts(report, page)].join('\n')}\n`;
}

interface Page {
  paint: Paint;
  columns: number;
}

/** The whole window in one bar, with a mark at the size of the next compaction. */
function wholeBar({ tokens, window }: ShownReport, { paint, columns }: Page): string[] {
  const { windowTokens, usableTokens = 0, triggerTokens } = window;
  if (windowTokens === undefined) {
    const why = 'The window is unknown here. Set it with --window N.';
    return [`${formatTokens(tokens)} tokens in the next request`, paint.dim(fitLine(why, columns))];
  }
  const share = Math.round((tokens / windowTokens) * 100);
  const figures = `${share} %  ${formatTokens(tokens)} of ${formatTokens(windowTokens)}`;
  const cells = columns - figures.length - 2;
  const cellOf = (value: number) => Math.min(cells, Math.round((value / windowTokens) * cells));
  const full = cellOf(tokens);
  const mark = triggerTokens === undefined ? -1 : Math.min(cells - 1, cellOf(triggerTokens));
  const bar = Array.from({ length: cells }, (_, cell) => {
    if (cell === mark) return paint.note('┃');
    return cell < full ? urgency(tokens / usableTokens, paint)('▓') : paint.dim('░');
  }).join('');
  return [`${bar}  ${figures}`];
}

function urgency(fullness: number, paint: Paint): (text: string) => string {
  if (fullness >= 0.9) return paint.bad;
  return fullness >= 0.7 ? paint.warn : paint.good;
}

function shareLines(report: ShownReport, page: Page): string[] {
  const { shares, tokens, window } = report;
  const whole = Math.max(tokens, window.windowTokens ?? 0, 1);
  const names = Object.keys(LABELS).filter((name): name is keyof ContextShares => name in shares);
  const rows = names
    .filter((name) => shares[name] > 0)
    .map((name) => shareLine(LABELS[name], shares[name], { whole, page, color: page.paint.note }));
  if (window.windowTokens === undefined || window.usableTokens === undefined) return rows;
  const free = Math.max(0, window.usableTokens - tokens);
  const answer = window.windowTokens - Math.max(window.usableTokens, Math.min(tokens, window.windowTokens));
  const rest = { whole, page, color: page.paint.dim };
  return [...rows, shareLine('free', free, rest), shareLine('for the answer', answer, rest)];
}

function shareLine(
  label: string,
  tokens: number,
  { whole, page, color }: { whole: number; page: Page; color: (text: string) => string },
): string {
  const cells = page.columns - LABEL_COLUMNS - FIGURE_COLUMNS;
  const bar = fineBar(tokens / whole, cells);
  const percent = `${Math.round((tokens / whole) * 100)} %`.padStart(6);
  const figures = `${formatTokens(tokens).padStart(FIGURE_COLUMNS - 8)}${percent}`;
  return `${page.paint.dim(label.padEnd(LABEL_COLUMNS))}${color(bar.padEnd(cells))}  ${figures}`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar in eighths of a cell. A share above zero has at least one. */
function fineBar(share: number, cells: number): string {
  const eighths = Math.max(share > 0 ? 1 : 0, Math.round(share * cells * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

function facts(report: ShownReport, page: Page): string[] {
  const { paint, columns } = page;
  const { messages, hidden, pruned, cut, omitted, pins, servers = [] } = report;
  const shown = `${messages.visible} of ${plural(messages.total, 'message')}`;
  return [
    ...row('next', nextCompaction(report), page),
    ...row('shown', messages.hidden === 0 ? `all ${plural(messages.total, 'message')}` : shown, page),
    ...hidden.map((compaction, index) => hiddenLine(index === 0 ? 'hidden' : '', compaction, page)),
    ...(pruned.length === 0
      ? []
      : row('pruned', `${plural(pruned.length, 'output')}: ${someOf(pruned, columns - 24)}`, page)),
    ...(cut.length === 0
      ? []
      : row('cut', `${plural(cut.length, 'text')}: ${someOf(cut, columns - 24)}`, page)),
    ...(omitted.length === 0
      ? []
      : row('refused', `left out of requests: ${someOf(omitted, columns - 32)}`, page)),
    ...servers.map(({ name, tools, tokens }, index) =>
      field(
        index === 0 ? 'mcp' : '',
        fitLine(`${name}: ${plural(tools, 'tool')}, ${formatTokens(tokens)} tokens of schemas`, columns - 9),
        paint,
      ),
    ),
    ...pins.map(({ handle, role, text }, index) =>
      field(index === 0 ? 'pinned' : '', fitLine(`${handle} ${role}: ${text}`, columns - 9), paint),
    ),
  ];
}

function row(name: string, text: string, { paint, columns }: Page): string[] {
  return wrapText(text, columns - 9)
    .trimEnd()
    .split('\n')
    .map((line, index) => field(index === 0 ? name : '', line, paint));
}

function nextCompaction({ tokens, window, isTriggerRaised, hidden }: ShownReport): string {
  const { triggerTokens, windowTokens } = window;
  if (windowTokens === undefined) return 'unknown, since the window is unknown';
  if (triggerTokens === undefined) return 'none: automatic compaction is turned off';
  if (tokens >= triggerTokens)
    return `compaction at the next step: ${formatTokens(triggerTokens)} is reached`;
  const later = isTriggerRaised ? ' (later than usual, since the newest one was undone)' : '';
  const round = (hidden.at(-1)?.round ?? 0) + 1;
  return `compaction ${round} at ${formatTokens(triggerTokens)}, in ${formatTokens(triggerTokens - tokens)} tokens${later}`;
}

function hiddenLine(name: string, compaction: ShownCompaction, { paint, columns }: Page): string {
  const { round, count, ranges, reason, tokensBefore, tokensAfter } = compaction;
  const how = `${reason}, ${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}`;
  const what = `${plural(count, 'message')} by round ${round}: `;
  const room = columns - 9 - how.length - 2 - what.length;
  return field(name, spread(what + someRanges(ranges, room), paint.dim(how), columns - 9), paint);
}

/** As many ranges as fit, uncut. */
export function someRanges(ranges: readonly MessageRange[], columns: number): string {
  return someOf(
    ranges.map(({ from, to }) => (from === to ? from : `${from}–${to}`)),
    columns,
  );
}

function someOf(names: readonly string[], columns: number): string {
  let text = '';
  for (const [index, name] of names.entries()) {
    const next = index === 0 ? name : `${text}, ${name}`;
    const isLast = index === names.length - 1;
    if (index > 0 && next.length + (isLast ? 0 : 2) > columns) return `${text} …`;
    text = next;
  }
  return text;
}

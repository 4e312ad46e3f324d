import { type EventOf, type JsonValue, subtaskOf } from '@longhaul/protocol';
import { fitLine, formatDuration, formatTokens, plural, spread, widthOf } from './format.ts';
import type { Paint } from './paint.ts';

const NAME_COLUMNS = 6;
const LEAST_TITLE = 8;

/** The line of a call that has ended: `✓ bash   node --test (exit 0)     1.2 s`. */
export function toolLine(
  result: Pick<
    EventOf<'llm:tool-result'>,
    'toolName' | 'success' | 'title' | 'truncated' | 'handle' | 'metadata'
  >,
  {
    args,
    durationMs,
    columns,
    paint,
  }: { args: JsonValue; durationMs: number | undefined; columns: number; paint: Paint },
): string {
  const sign = result.success ? paint.good('✓') : paint.bad('✗');
  const name = fitLine(result.toolName, 20).padEnd(NAME_COLUMNS);
  const right = durationMs === undefined || durationMs < 50 ? '' : formatDuration(durationMs);
  const free = columns - 3 - widthOf(name) - (right === '' ? 0 : right.length + 2);
  const cut = result.truncated === true ? cutRemark(result.handle ?? '', free - LEAST_TITLE) : '';
  const about = (result.title ?? shortArguments(args)) + outcomeOfChild(result);
  const title = fitTitle(about, Math.max(LEAST_TITLE, free - widthOf(cut)));
  const line = spread(`${sign} ${paint.bold(name)} ${title}${paint.dim(cut)}`, paint.dim(right), columns);
  return `${line}\n`;
}

/** ` (12 steps, 48k tokens)`, if the call has waited for a child session. */
function outcomeOfChild({ metadata }: Pick<EventOf<'llm:tool-result'>, 'metadata'>): string {
  const facts = subtaskOf({ metadata });
  if (facts?.steps === undefined) return '';
  return ` (${plural(facts.steps, 'step')}, ${formatTokens(facts.tokens ?? 0)} tokens)`;
}

function cutRemark(handle: string, room: number): string {
  const whole = ` [cut, whole: ${handle}]`;
  return widthOf(whole) <= room ? whole : ` [${handle}]`;
}

/** Cuts a title before the outcome in brackets at its end. */
function fitTitle(title: string, columns: number): string {
  const outcome = / \([^()]{1,32}\)$/.exec(title)?.[0] ?? '';
  const room = columns - widthOf(outcome);
  return room < 8
    ? fitLine(title, columns)
    : fitLine(title.slice(0, title.length - outcome.length), room) + outcome;
}

/** Describes a call whose tool gave no title. Without their names, switches would look like parts of the command. */
export function shortArguments(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return '';
  const values = Object.values(args).filter(
    (value) => typeof value !== 'object' && typeof value !== 'boolean',
  );
  return values.map(String).join(' ');
}

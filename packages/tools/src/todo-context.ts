import type { CompactionForecast, ToolContext } from '@longhaul/core';
import { groupDigits, plural } from '@longhaul/core/tool-output';
import { isObject, type JsonValue, parseJson } from '@longhaul/protocol';
import type { InputFields } from './input-parser.ts';

/** What a call of `todo` says about the context. */
export interface TodoContextInput {
  /** Facts that compactions keep word for word. Undefined: they stay as they are. */
  keep?: string[] | undefined;
  /** A phase is finished: older messages may be replaced by a summary now. */
  compact?: boolean | undefined;
}

const MAX_FACTS = 20;
const MAX_CHARS = 2_000;

export function readTodoContext(fields: InputFields): TodoContextInput {
  const given = fields.value('keep');
  const keep = given === undefined ? undefined : readFacts(given, fields);
  return { keep, compact: fields.flag('compact') || undefined };
}

function readFacts(given: JsonValue, fields: InputFields): string[] {
  const parsed = typeof given === 'string' ? parseJson(given) : given;
  const list = typeof given === 'string' && !Array.isArray(parsed) ? [given] : parsed;
  if (!Array.isArray(list)) {
    fields.problem('`keep` must be an array of texts.');
    return [];
  }
  const facts = list.flatMap((item, index) => {
    const text = isObject(item) ? (item['text'] ?? item['fact']) : item;
    if (typeof text !== 'string') fields.problem(`\`keep[${index}]\` must be a text.`);
    const line = typeof text === 'string' ? onOneLine(text) : '';
    return line === '' ? [] : [line];
  });
  const unique = [...new Set(facts)];
  if (unique.length > MAX_FACTS)
    fields.problem(`\`keep\` has ${unique.length} facts, but at most ${MAX_FACTS} are kept: ${LESS}`);
  const chars = unique.reduce((sum, fact) => sum + fact.length, 0);
  if (chars > MAX_CHARS)
    fields.problem(
      `\`keep\` has ${groupDigits(chars)} characters, but at most ${groupDigits(MAX_CHARS)} are kept: ${LESS}`,
    );
  return unique;
}

const LESS = 'shorten facts or leave some out. Nothing has changed.';

/** Line breaks would make one fact look like several. */
function onOneLine(text: string): string {
  return text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ').trim();
}

/** Returns why these facts cannot be kept in the session's window; undefined if they can. */
export async function tooLongToKeep(
  { keep = [] }: TodoContextInput,
  { context }: Pick<ToolContext, 'context'>,
): Promise<string | undefined> {
  if (context === undefined || keep.length === 0) return undefined;
  const { tokens, maxTokens } = await context.measureFacts(keep);
  if (tokens <= maxTokens) return undefined;
  return `\`keep\` has about ${plural(tokens, 'token')}, but the context of this model has room for ${plural(maxTokens, 'token')} of kept facts: ${LESS}`;
}

/** What `answerForContext` adds to the result. */
export interface TodoContextAnswer {
  /** Remarks for the model. Not part of the list. */
  lines: readonly string[];
  /** `keep`: the facts from now on. `compact`: a compaction is to be made before the next step. */
  metadata: { keep?: string[]; compact?: true };
}

/** Keeps the facts, and says what follows. Call it after `tooLongToKeep`. */
export async function answerForContext(
  { keep, compact }: TodoContextInput,
  { context }: Pick<ToolContext, 'context'>,
): Promise<TodoContextAnswer> {
  const before = keep === undefined ? [] : ((await context?.keptFacts()) ?? []);
  const kept = keep === undefined ? [] : [keptLine(keep, before)];
  const forecast = compact === true ? ((await context?.forecast()) ?? UNKNOWN) : undefined;
  return {
    lines: [...kept, ...(forecast === undefined ? [] : [forecastLine(forecast)])],
    metadata: {
      ...(keep !== undefined && { keep }),
      ...(forecast?.isWorthIt === true && { compact: true }),
    },
  };
}

const UNKNOWN: CompactionForecast = { isWorthIt: false, reason: 'this session has none' };

function keptLine(keep: readonly string[], before: readonly string[]): string {
  const dropped = before.filter((fact) => !keep.includes(fact)).length;
  const no =
    dropped === 0
      ? ''
      : ` ${plural(dropped, 'earlier fact')} ${dropped === 1 ? 'is' : 'are'} no longer kept.`;
  if (keep.length === 0) return `(No facts are kept.${no})`;
  const chars = keep.reduce((sum, fact) => sum + fact.length, 0);
  return `(${plural(keep.length, 'fact')} kept word for word, ${groupDigits(chars)} of ${groupDigits(MAX_CHARS)} characters.${no})`;
}

function forecastLine(forecast: CompactionForecast): string {
  if (!forecast.isWorthIt) return `(No compaction: ${forecast.reason}.)`;
  const { tokensBefore, tokensAfter } = forecast;
  return `(Compaction before your next step: about ${groupDigits(tokensBefore)} tokens become ${groupDigits(tokensAfter)}.)`;
}

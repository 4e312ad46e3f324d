import { handleOf, type Message, type Part, parseHandle } from '@longhaul/protocol';
import { cutMiddle, headOf } from '../cut-middle.ts';
import { textOfOutput } from '../view.ts';
import { isRecord, stringIn } from './message-format.ts';
import { recallPage } from './recall-page.ts';

/** The input of a `recall` call: either `query` or `handle`. */
export interface RecallInput {
  query?: string | undefined;
  handle?: string | undefined;
  /** The first line, from 1. */
  from?: number | undefined;
  lines?: number | undefined;
}

/** The schema of the `recall` tool for the model. Answer its calls with `session.recall(input)`. */
export const RECALL_TOOL = {
  name: 'recall',
  description:
    'Read text of this session that was cut or is hidden: `query` finds handles; `handle` (like m12.3) reads it by lines.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words that must all occur' },
      handle: { type: 'string' },
      from: { type: 'integer' },
      lines: { type: 'integer' },
    },
  },
} as const;

const MAX_HITS = 10;
const SNIPPET_CHARS = 300;

/**
 * Searches a log, or reads a part of it by its handle. Returns a text for the model; never throws, whatever a model
 * passes as input.
 */
export function recallFrom(messages: readonly Message[], given: unknown): string {
  const input = readInput(given);
  const handle = input.handle?.trim() ?? '';
  if (handle !== '') return readHandle(messages, handle, input);
  const query = input.query?.trim() ?? '';
  return query === ''
    ? 'Pass either `query` to search, or `handle` (like m12.3) to read.'
    : search(messages, query);
}

/**
 * Models pass numbers as texts, and sometimes the input as JSON or nothing at all. What is not understood is left out.
 */
function readInput(given: unknown): RecallInput {
  if (typeof given === 'string') return readText(given);
  if (!isRecord(given)) return {};
  return {
    query: stringIn(given, 'query'),
    handle: stringIn(given, 'handle'),
    from: numberOf(given['from']),
    lines: numberOf(given['lines']),
  };
}

/** A text is the input as JSON, or else a query. */
function readText(text: string): RecallInput {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? readInput(parsed) : { query: text };
  } catch {
    return { query: text };
  }
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Lists the newest hits first. */
function search(messages: readonly Message[], query: string): string {
  const words = query.toLowerCase().split(/\s+/);
  const hits: string[] = [];
  for (const message of messages.toReversed()) {
    for (const [index, part] of message.parts.entries()) {
      const text = textOfPart(part);
      const lower = text.toLowerCase();
      if (hits.length < MAX_HITS && words.every((word) => lower.includes(word)))
        hits.push(`${handleOf(message.sequence, index)}: ${snippet(text, lower.indexOf(words[0] ?? ''))}`);
    }
    if (hits.length >= MAX_HITS) break;
  }
  if (hits.length === 0) return 'Nothing found. All words must occur in one text: try fewer or other words.';
  return `${hits.join('\n')}\n[to read one, pass its handle]`;
}

function snippet(text: string, at: number): string {
  const start = Math.max(0, at - SNIPPET_CHARS / 3);
  return headOf(text.slice(start), SNIPPET_CHARS).replace(/\s+/g, ' ').trim();
}

function readHandle(messages: readonly Message[], handle: string, { from, lines }: RecallInput): string {
  const place = parseHandle(handle);
  const message = place === undefined ? undefined : messages[place.sequence - 1];
  const parts =
    place?.partIndex === undefined
      ? message?.parts
      : message?.parts.slice(place.partIndex, place.partIndex + 1);
  if (parts === undefined || parts.length === 0)
    return `There is no text with the handle ${cutMiddle(handle, 60).text}. Handles look like m12.3; a query returns them.`;
  // With a final line feed, an empty last line counts too.
  return page(handle, `${parts.map(textOfPart).join('\n')}\n`, { from, lines });
}

function page(handle: string, text: string, { from, lines }: Pick<RecallInput, 'from' | 'lines'>): string {
  const shown = recallPage(text, { from: atLeastOne(from), lines: atLeastOne(lines) });
  if (shown.lines.length === 0)
    return `from ${shown.from} is past the end: ${handle} has ${shown.totalLines} lines.`;
  const last = shown.from + shown.lines.length - 1;
  const next = last < shown.totalLines ? ` Next: from ${last + 1}` : '';
  return `${shown.lines.join('\n')}\n[${handle}: lines ${shown.from}-${last} of ${shown.totalLines}.${next}]`;
}

function atLeastOne(count: number | undefined): number | undefined {
  return count === undefined ? undefined : Math.max(1, Math.trunc(count));
}

/** The text of a call includes its arguments, so that they are found too. */
function textOfPart(part: Part): string {
  if (part.type === 'file') return `[${part.mediaType}]`;
  if (part.type === 'patch') return '';
  if (part.type !== 'tool') return part.text;
  return `${part.name} ${JSON.stringify(part.input)}\n${part.error ?? textOfOutput(part.output ?? [])}`;
}

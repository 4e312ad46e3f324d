import { wholeSentences } from '../trim-narrative.ts';
import { isRecord, type JsonRecord, jsonObjects } from './json-objects.ts';
import { proseSummary } from './prose-summary.ts';
import { repairedObject } from './repaired-object.ts';

/** The usable part of a selecting model's answer. */
export interface Selection {
  /** Ids of messages to keep. */
  keep: string[];
  condense: { id: string; text: string }[];
  summary: string;
}

/** A message that can be selected. */
export interface Selectable {
  readonly id: string;
  readonly text: string;
}

export type ReadSelection =
  | { status: 'read'; selection: Selection; warnings: string[] }
  | { status: 'unreadable'; reason: string };

/**
 * Reads a selecting model's answer: `{keep, condense, summary, …}`, or the older `{prunedConversation, summary, …}`, in
 * a fence or in prose. Invalid JSON is repaired, and an answer without an object is the summary itself. Unknown ids are
 * skipped and reported. The answer's own token counts are not used. Never throws.
 */
export function readSelection(answer: string, conversation: readonly Selectable[]): ReadSelection {
  const { found, warnings } = findAnswer(answer);
  if (found === undefined)
    return { status: 'unreadable', reason: 'the answer was neither JSON nor a summary' };
  const ids = new IdReader(conversation);
  const keep = 'keep' in found ? ids.readAll(found['keep']) : ids.readPruned(found['prunedConversation']);
  const condense = readCondensed(found['condense'], ids).filter(({ id }) => !keep.includes(id));
  const summary = textOf(found['summary']).trim();
  if (keep.length === 0 && condense.length === 0 && summary === '')
    return { status: 'unreadable', reason: 'the selection named no message and had no summary' };
  if (ids.unknown > 0) warnings.push(`Unknown ids in the selection, which are ignored: ${ids.unknown}.`);
  return { status: 'read', selection: { keep, condense, summary }, warnings };
}

const KEYS = ['keep', 'prunedConversation', 'condense', 'summary'] as const;

function findAnswer(answer: string): { found: JsonRecord | undefined; warnings: string[] } {
  const exact = jsonObjects(answer).map(withKnownKeys).findLast(hasKey);
  if (exact !== undefined) return { found: exact, warnings: [] };
  const repaired = repairedObject(answer);
  if (repaired !== undefined) {
    const { value, isCutOff } = repaired;
    const found = withKnownKeys(value);
    const summary = textOf(found['summary']);
    if (isCutOff && summary !== '') found['summary'] = wholeSentences(summary);
    return { found, warnings: [isCutOff ? CUT_OFF : REPAIRED] };
  }
  const summary = proseSummary(answer);
  return summary === undefined
    ? { found: undefined, warnings: [] }
    : { found: { summary }, warnings: ['The selection was prose, not JSON. It is used as the summary.'] };
}

const REPAIRED = 'The selection was not valid JSON. It was repaired.';
const CUT_OFF = 'The selection was cut off. It is used up to its last whole sentence.';

/** The last object with one of the keys is the answer: a model that thinks aloud puts it at the end. */
function hasKey(value: JsonRecord): boolean {
  return KEYS.some((key) => key in value);
}

/** Returns an object, or the object in it, with the requested keys. Models write `Keep`, or `{"selection": {…}}`. */
function withKnownKeys(value: JsonRecord): JsonRecord {
  const own = spelledAsRequested(value);
  if (hasKey(own)) return own;
  return Object.values(value).filter(isRecord).map(spelledAsRequested).findLast(hasKey) ?? own;
}

function spelledAsRequested(value: JsonRecord): JsonRecord {
  const entries = Object.entries(value).map(([key, item]) => {
    const plain = key.toLowerCase().replace(/[^a-z]/g, '');
    return [KEYS.find((known) => known.toLowerCase() === plain) ?? key, item];
  });
  return Object.fromEntries(entries);
}

/** Returns a summary as text. Models also write lists and objects. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((item) => `- ${textOf(item)}`).join('\n');
  if (isRecord(value))
    return Object.entries(value)
      .map(([key, item]) => `${key}: ${textOf(item)}`)
      .join('\n');
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Reads ids in the spellings of models: `m12`, `12`, `[m12]`, or an object with an id. */
class IdReader {
  readonly #byId: ReadonlySet<string>;
  readonly #byText: ReadonlyMap<string, string>;
  unknown = 0;

  constructor(conversation: readonly Selectable[]) {
    this.#byId = new Set(conversation.map(({ id }) => id));
    this.#byText = new Map(conversation.map(({ id, text }) => [text.trim(), id]));
  }

  read(value: unknown): string | undefined {
    const named = isRecord(value) ? value['id'] : value;
    const written = typeof named === 'number' ? String(named) : named;
    const bare = typeof written === 'string' ? written.replace(/[^\w-]/g, '') : '';
    const id = [bare, `m${bare}`].find((candidate) => this.#byId.has(candidate));
    if (id === undefined) this.unknown += 1;
    return id;
  }

  readAll(values: unknown): string[] {
    const list = Array.isArray(values) ? values : [];
    return [...new Set(list.map((value) => this.read(value)).filter((id) => id !== undefined))];
  }

  /** Reads messages that are returned whole, as in the older form: by their id, or by their text. */
  readPruned(values: unknown): string[] {
    const list = Array.isArray(values) ? values : [];
    const ids = list.map((value) => {
      const text = isRecord(value) ? (value['content'] ?? value['text']) : value;
      const known = typeof text === 'string' ? this.#byText.get(text.trim()) : undefined;
      return known ?? this.read(value);
    });
    return [...new Set(ids.filter((id) => id !== undefined))];
  }
}

function readCondensed(values: unknown, ids: IdReader): Selection['condense'] {
  const list = Array.isArray(values) ? values : [];
  const texts = new Map<string, string>();
  for (const value of list) {
    const text = isRecord(value) ? value['text'] : undefined;
    if (typeof text !== 'string' || text.trim() === '') continue;
    const id = ids.read(value);
    if (id !== undefined) texts.set(id, text.trim());
  }
  return [...texts].map(([id, text]) => ({ id, text }));
}

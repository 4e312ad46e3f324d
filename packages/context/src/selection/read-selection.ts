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
 * a fence or in prose. Unknown ids are skipped and reported. The answer's own token counts are not used. Never throws.
 */
export function readSelection(answer: string, conversation: readonly Selectable[]): ReadSelection {
  const found = findAnswer(answer);
  if (found === undefined)
    return { status: 'unreadable', reason: 'the selection was not a JSON object with the requested keys' };
  const ids = new IdReader(conversation);
  const keep = 'keep' in found ? ids.readAll(found['keep']) : ids.readPruned(found['prunedConversation']);
  const condense = readCondensed(found['condense'], ids).filter(({ id }) => !keep.includes(id));
  const summary = typeof found['summary'] === 'string' ? found['summary'].trim() : '';
  if (keep.length === 0 && condense.length === 0 && summary === '')
    return { status: 'unreadable', reason: 'the selection named no message and had no summary' };
  const warnings =
    ids.unknown === 0 ? [] : [`Unknown ids in the selection, which are ignored: ${ids.unknown}.`];
  return { status: 'read', selection: { keep, condense, summary }, warnings };
}

type JsonRecord = Record<string, unknown>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const KEYS = ['keep', 'prunedConversation', 'condense'] as const;

/** The last object with one of the keys. A model that thinks aloud puts its answer at the end. */
function findAnswer(answer: string): JsonRecord | undefined {
  return jsonObjects(answer).findLast((value) => KEYS.some((key) => key in value));
}

/** The most characters that are searched. An answer is short, and a long text of braces must not cost time. */
const MAX_SEARCHED_CHARS = 200_000;
const MAX_FAILURES = 200;

/** Returns the outermost JSON objects in a text, in order. */
function jsonObjects(text: string): JsonRecord[] {
  const found: JsonRecord[] = [];
  const searched = text.slice(0, MAX_SEARCHED_CHARS);
  let start = searched.indexOf('{');
  let failures = 0;
  while (start !== -1 && failures < MAX_FAILURES) {
    const end = endOfObject(searched, start);
    const value = end === undefined ? undefined : parse(searched.slice(start, end));
    if (isRecord(value)) found.push(value);
    else failures += 1;
    const next = isRecord(value) && end !== undefined ? end : start + 1;
    start = searched.indexOf('{', next);
  }
  return found;
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
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

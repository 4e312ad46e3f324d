import { arrayElements, type ByteRange, type JsonMember, objectMembers } from './json-ranges.ts';

/** Bytes that take the place of others. */
interface Edit {
  at: ByteRange;
  text: string | Buffer;
}

/**
 * The body with other messages. Everything else keeps its bytes, and so does each message that is one of `received`, numbers included that no
 * JavaScript holds. Where `messages` stands twice, both are replaced: servers do not agree on which of them counts.
 *
 * @param received What the body's own messages were parsed to.
 */
export function withMessages(
  body: Buffer,
  messages: readonly object[],
  received: readonly object[] = [],
): Buffer {
  const places = objectMembers(body).filter(({ key }) => key === 'messages');
  const own = places.at(-1);
  // The last one is what was parsed.
  const ranges = own === undefined || received.length === 0 ? [] : arrayElements(body, own.value.start);
  const rangeOf = new Map(received.map((message, index) => [message, ranges[index]]));
  const pieces = messages.flatMap((message, index) => {
    const range = rangeOf.get(message);
    const bytes =
      range === undefined ? Buffer.from(JSON.stringify(message)) : body.subarray(range.start, range.end);
    return index === 0 ? [bytes] : [COMMA, bytes];
  });
  const text = Buffer.concat([OPEN, ...pieces, CLOSE]);
  return applyEdits(
    body,
    places.map(({ value }) => ({ at: value, text })),
  );
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** The body with another model's name, for the upstream that knows it without the prefix. */
export function withModel(body: Buffer, model: string): Buffer {
  return withValue(body, ['model'], JSON.stringify(model));
}

/** The body with another limit for the answer, where it has one. */
export function withOutputLimit(body: Buffer, maxTokens: number): Buffer {
  return withValue(body, ['max_tokens', 'max_completion_tokens'], String(maxTokens));
}

function withValue(body: Buffer, keys: readonly string[], text: string): Buffer {
  const edits = objectMembers(body)
    .filter(({ key }) => keys.includes(key))
    .map(({ value }) => ({ at: value, text }));
  return applyEdits(body, edits);
}

/**
 * The body of a stream that ends with its usage, as far as its options stand in the text; undefined when it asks for that already. A body
 * without options need not be searched for them, which would take a millisecond for each megabyte.
 */
export function withUsage(body: Buffer, { hasOptions }: { hasOptions: boolean }): Buffer | undefined {
  if (!hasOptions) return applyEdits(body, [insertAtEnd(body)]);
  const options = objectMembers(body).findLast(({ key }) => key === 'stream_options');
  if (options === undefined) return applyEdits(body, [insertAtEnd(body)]);
  if (!isObject(body, options.value)) return applyEdits(body, [{ at: options.value, text: WANTED_OPTIONS }]);
  const inner = objectMembers(body, options.value.start);
  const wish = inner.findLast(({ key }) => key === 'include_usage');
  if (wish === undefined) {
    const edit =
      inner.length === 0
        ? { at: options.value, text: WANTED_OPTIONS }
        : insertBehind(inner, '"include_usage":true');
    return applyEdits(body, [edit]);
  }
  const isWanted = body.toString('latin1', wish.value.start, wish.value.end) === 'true';
  return isWanted ? undefined : applyEdits(body, [{ at: wish.value, text: 'true' }]);
}

const WANTED_OPTIONS = '{"include_usage":true}';
const WANTED = `"stream_options":${WANTED_OPTIONS}`;

/** Behind the last member; there is one at least. */
function insertAtEnd(body: Buffer): Edit {
  let end = body.lastIndexOf('}');
  while (end > 0 && SPACES.has(body[end - 1])) end -= 1;
  return { at: { start: end, end }, text: `,${WANTED}` };
}

const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

function insertBehind(members: readonly JsonMember[], text: string): Edit {
  const end = members.at(-1)?.value.end ?? 0;
  return { at: { start: end, end }, text: `,${text}` };
}

function isObject(body: Buffer, { start }: ByteRange): boolean {
  return body[start] === 0x7b;
}

function applyEdits(body: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { at, text } of edits) {
    pieces.push(body.subarray(from, at.start), typeof text === 'string' ? Buffer.from(text) : text);
    from = at.end;
  }
  pieces.push(body.subarray(from));
  return Buffer.concat(pieces);
}

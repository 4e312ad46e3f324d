import { arrayElements, type ByteRange, type JsonMember, objectMembers } from './json-ranges.ts';

/** A replacement of a range of bytes. */
interface Edit {
  at: ByteRange;
  text: string | Buffer;
}

/**
 * Returns the body with other messages. All other members keep their bytes. So does each message that is one of
 * `received`, including numbers that JavaScript cannot represent. If the key `messages` occurs twice, both are
 * replaced, because servers differ on which one counts.
 *
 * @param received The body's own messages, as parsed.
 */
export function withMessages(
  body: Buffer,
  messages: readonly object[],
  received: readonly object[] = [],
): Buffer {
  const places = objectMembers(body).filter(({ key }) => key === 'messages');
  const own = places.at(-1);
  // `JSON.parse` takes the last one.
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

/** Returns the body with another model name: the upstream knows its model without the prefix. */
export function withModel(body: Buffer, model: string): Buffer {
  return withValue(body, ['model'], JSON.stringify(model));
}

/** Returns the body with another limit for the answer, if it has a limit. */
export function withOutputLimit(body: Buffer, maxTokens: number): Buffer {
  return withValue(body, ['max_tokens', 'max_completion_tokens'], String(maxTokens));
}

/** Returns the body with another value of a member, as JSON. All other members keep their bytes. */
export function withMember(body: Buffer, key: string, value: unknown): Buffer {
  return withValue(body, [key], JSON.stringify(value));
}

function withValue(body: Buffer, keys: readonly string[], text: string): Buffer {
  const edits = objectMembers(body)
    .filter(({ key }) => keys.includes(key))
    .map(({ value }) => ({ at: value, text }));
  return applyEdits(body, edits);
}

/**
 * Returns the body with `stream_options.include_usage` set to true; undefined if it already is.
 *
 * @param options.hasOptions Whether the parsed body has `stream_options`. If not, the body is not searched for them. A
 * search takes about a millisecond per megabyte.
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

/** After the last member. The body has at least one. */
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

/**
 * Keeps the state of a value for later comparisons: a copy of its structure. Texts and bytes are shared, so this is
 * cheap for large messages.
 */
export function snapshotOf(value: unknown): unknown {
  if (!isStructure(value)) return value;
  if (Array.isArray(value)) return value.map(snapshotOf);
  return Object.fromEntries(fieldsOf(value).map(([key, item]) => [key, snapshotOf(item)]));
}

/**
 * Returns whether a value is as it was when its snapshot was made. The order of fields does not matter, and an
 * undefined field is an absent one. Objects without fields of their own, such as dates and URLs, are compared as texts.
 */
export function isSame(snapshot: unknown, value: unknown): boolean {
  if (!isStructure(snapshot) || !isStructure(value)) return isSameAtom(snapshot, value);
  if (Array.isArray(snapshot) !== Array.isArray(value)) return false;
  return hasFieldsOf(snapshot, value) && hasFieldsOf(value, snapshot, () => true);
}

/** A whole history is compared before every step, so this allocates nothing but the names of the fields. */
function hasFieldsOf(fields: object, value: object, isEqual = isSame): boolean {
  const expected = fields as Readonly<Record<string, unknown>>;
  const found = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(expected)) {
    if (expected[key] === undefined) continue;
    if (found[key] === undefined || !isEqual(expected[key], found[key])) return false;
  }
  return true;
}

function fieldsOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

function isStructure(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isBytes(value)) return false;
  return Array.isArray(value) || isPlain(value) || Object.keys(value).length > 0;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isSameAtom(snapshot: unknown, value: unknown): boolean {
  if (Object.is(snapshot, value)) return true;
  if (typeof snapshot !== 'object' || typeof value !== 'object' || snapshot === null || value === null)
    return false;
  if (!isBytes(snapshot) || !isBytes(value))
    return !isStructure(snapshot) && !isStructure(value) && String(snapshot) === String(value);
  const [before, now] = [bytesOf(snapshot), bytesOf(value)];
  return before.length === now.length && before.every((byte, index) => byte === now[index]);
}

type Bytes = ArrayBuffer | ArrayBufferView;

function isBytes(value: object): value is Bytes {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

function bytesOf(value: Bytes): Uint8Array {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

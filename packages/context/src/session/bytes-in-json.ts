import { isRecord } from './message-format.ts';

/** Bytes in a state, which JSON does not have. */
interface EncodedBytes {
  $bytes: string;
}

/** Returns a value with its bytes as Base64. A part without bytes is the same object. */
export function withEncodedBytes<T>(value: T): T {
  return mapped(value, (item) => {
    const bytes = bytesOf(item);
    return bytes === undefined ? undefined : ({ $bytes: toBase64(bytes) } satisfies EncodedBytes);
  });
}

/** Returns a value with the bytes that `withEncodedBytes` has encoded. */
export function withDecodedBytes<T>(value: T): T {
  return mapped(value, (item) => (isEncoded(item) ? fromBase64(item.$bytes) : undefined));
}

/** Replaces what `replace` returns a value for, in plain objects and arrays. */
function mapped<T>(value: T, replace: (item: unknown) => unknown): T {
  // What is replaced has the type that the caller's message had before it was encoded.
  return mapItem(value, replace) as T;
}

function mapItem(item: unknown, replace: (item: unknown) => unknown): unknown {
  const replaced = replace(item);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(item)) {
    const items = item.map((each) => mapItem(each, replace));
    return items.some((each, index) => each !== item[index]) ? items : item;
  }
  if (!isPlain(item)) return item;
  const entries = Object.entries(item).map(([key, each]) => [key, mapItem(each, replace)] as const);
  return entries.some(([key, each]) => each !== item[key]) ? Object.fromEntries(entries) : item;
}

/** Instances of classes have their own way to become JSON. */
function isPlain(item: unknown): item is Record<string, unknown> {
  if (!isRecord(item)) return false;
  const prototype: unknown = Object.getPrototypeOf(item);
  return prototype === Object.prototype || prototype === null;
}

function bytesOf(item: unknown): Uint8Array | undefined {
  if (item instanceof ArrayBuffer) return new Uint8Array(item);
  if (!ArrayBuffer.isView(item)) return undefined;
  return new Uint8Array(item.buffer, item.byteOffset, item.byteLength);
}

function isEncoded(item: unknown): item is EncodedBytes {
  return isPlain(item) && typeof item['$bytes'] === 'string' && Object.keys(item).length === 1;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function toBase64(bytes: Uint8Array): string {
  const digits: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
    const bits = (first << 16) | (second << 8) | third;
    for (const shift of [18, 12, 6, 0]) digits.push(DIGITS.charAt((bits >> shift) & 63));
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  digits.length -= padding;
  return digits.join('') + '='.repeat(padding);
}

function fromBase64(text: string): Uint8Array {
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  for (let at = 0; at < bytes.length; at += 1) {
    const digit = Math.floor((at * 4) / 3);
    const pair =
      (DIGITS.indexOf(digits.charAt(digit)) << 6) | Math.max(0, DIGITS.indexOf(digits.charAt(digit + 1)));
    bytes[at] = (pair >> (4 - 2 * (at % 3))) & 255;
  }
  return bytes;
}

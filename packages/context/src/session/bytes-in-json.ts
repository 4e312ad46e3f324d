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

/** Base64 of Node.js, Bun and browsers. The types of this package are those of the language alone. */
declare function btoa(bytes: string): string;
declare function atob(base64: string): string;

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
}

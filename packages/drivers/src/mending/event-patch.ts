import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/** Changes one event in place, and records whether anything was changed. */
export class EventPatch {
  hasChanged = false;
  /** Events to insert before this one. */
  readonly before: JsonObject[] = [];

  set(object: JsonObject, key: string, value: JsonValue): void {
    object[key] = value;
    this.hasChanged = true;
  }

  delete(object: JsonObject, key: string): void {
    if (!(key in object)) return;
    delete object[key];
    this.hasChanged = true;
  }

  /** Deletes fields that have a value of another type. */
  keepOnly(object: JsonObject, type: 'string' | 'object', keys: readonly string[]): void {
    for (const key of keys) {
      const value = object[key];
      if (value === undefined || value === null) continue;
      if (type === 'object' ? !isObject(value) : typeof value !== type) this.delete(object, key);
    }
  }

  /** Converts numbers to text. Deletes values of any other type. */
  toText(object: JsonObject, key: string): void {
    if (typeof object[key] === 'number') this.set(object, key, String(object[key]));
    else this.keepOnly(object, 'string', [key]);
  }

  /** Converts numbers written as text. Deletes values of any other type. */
  toNumbers(object: JsonObject, keys: readonly string[]): void {
    for (const key of keys) {
      const value = object[key];
      if (value === undefined || value === null || typeof value === 'number') continue;
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
      if (Number.isFinite(number)) this.set(object, key, number);
      else this.delete(object, key);
    }
  }

  /** Wraps a single object in a list. Removes entries that are not objects. Returns the entries. */
  toObjects(object: JsonObject, key: string): JsonObject[] {
    const value = object[key];
    if (value === undefined || value === null) return [];
    const list = Array.isArray(value) ? value : [value];
    const objects = list.filter(isObject);
    if (list !== value || objects.length < list.length) this.set(object, key, objects);
    return objects;
  }
}

import type { Random } from './random.ts';

/** Old names are forgotten, so that most known ones still exist. */
const MAX_OF_A_KIND = 40;
const MAX_EXPORTS = 10;
const MAX_EXPORT_CHARS = 100_000;

/** The names that answers have shown, by the parameter or the field that takes them. */
export class KnownNames {
  readonly #names = new Map<string, string[]>();
  readonly #exports: string[] = [];

  add(kind: string, name: string): void {
    const names = this.#names.get(kind) ?? [];
    this.#names.set(kind, names);
    if (names.includes(name)) return;
    names.push(name);
    if (names.length > MAX_OF_A_KIND) names.shift();
  }

  forget(kind: string, name: string): void {
    const names = this.#names.get(kind);
    if (names?.includes(name) === true) names.splice(names.indexOf(name), 1);
  }

  /** Forgets all names of a kind, before a list that is complete. */
  clear(kind: string): void {
    this.#names.delete(kind);
  }

  any(kind: string, random: Random): string | undefined {
    const names = this.#names.get(kind) ?? [];
    return names.length === 0 ? undefined : random.one(names);
  }

  all(kind: string): readonly string[] {
    return this.#names.get(kind) ?? [];
  }

  addExport(text: string): void {
    if (text.length > MAX_EXPORT_CHARS) return;
    this.#exports.push(text);
    if (this.#exports.length > MAX_EXPORTS) this.#exports.shift();
  }

  /** An exported session, to be imported. */
  anyExport(random: Random): string | undefined {
    return this.#exports.length === 0 ? undefined : random.one(this.#exports);
  }

  /**
   * Collects the names in an answer. An object's `id` is named after the kind of the object. Names that only exist in a
   * session are also stored for it.
   */
  learn(value: unknown, sessionId: string | undefined): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item, sessionId);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { id, callId, handle, hash } = value as Record<'id' | 'callId' | 'handle' | 'hash', unknown>;
    if (typeof hash === 'string') this.add('hash', hash);
    const isOpenRequest = 'requestedAt' in value && !('answeredAt' in value);
    if (typeof id === 'string') this.#addIn(sessionId, kindOf(value), id);
    if (isOpenRequest && typeof callId === 'string') {
      this.#addIn(sessionId, 'callId', callId);
      if (typeof handle === 'string') this.add(inSession(`handle of ${callId}`, sessionId ?? ''), handle);
    }
    for (const item of Object.values(value)) {
      const blob = typeof item === 'string' ? /^@blob:([0-9a-f]{64})/.exec(item)?.[1] : undefined;
      if (blob !== undefined) this.add('blobId', blob);
      this.learn(item, sessionId);
    }
  }

  #addIn(sessionId: string | undefined, kind: string, name: string): void {
    this.add(kind, name);
    if (sessionId !== undefined) this.add(inSession(kind, sessionId), name);
  }
}

/** The kind of the names that exist in a session. */
export function inSession(kind: string, sessionId: string): string {
  return `${kind} of ${sessionId}`;
}

function kindOf(value: object): string {
  if ('workspace' in value) return 'sessionId';
  if ('sequence' in value) return 'messageId';
  if ('position' in value || 'queuedAt' in value) return 'queuedId';
  return 'id';
}

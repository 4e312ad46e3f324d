import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import type { EventPatch } from './event-patch.ts';

/** Where the chunks of a format have the alternatives of an answer, and what ends one. */
export interface AnswerForm {
  /** The list of the alternatives. */
  list: 'choices' | 'candidates';
  /** The id of the whole answer, in each of its chunks. */
  id: string;
  finishReason: string;
  /** Whether the alternative has a piece of the answer. */
  hasContent(alternative: JsonObject): boolean;
}

/**
 * Keeps one answer of a stream, because every call in the answer is made.
 *
 * A server can send several alternatives (`n`, `candidateCount`). The one with index 0 counts. If none has index 0, the
 * first one does; it is held back until the end of the stream, because the other one can still come.
 *
 * A server can send more after the end of the answer: another answer in the same stream. Chunks count until `[DONE]`,
 * or a finish reason in a chunk without content. A finish reason beside content ends the answer only if the next chunk
 * has another id: some servers repeat the finish reason in each chunk.
 */
export function createOneAnswer(form: AnswerForm) {
  const end = createEnd(form);
  const held: JsonObject[] = [];
  let heldIndex: number | undefined;
  let hasFirst = false;

  const hold = (chunk: JsonObject, alternatives: readonly JsonObject[]): void => {
    heldIndex ??= indexOf(alternatives[0], 0);
    const other = alternatives.find((alternative, place) => indexOf(alternative, place) === heldIndex);
    if (other !== undefined && !end.isOver()) held.push({ ...chunk, [form.list]: [other] });
  };

  return {
    /** Removes the alternatives that do not count. Returns the one with index 0, even after the end of the answer. */
    keep(chunk: JsonObject, patch: EventPatch): JsonObject | undefined {
      const alternatives = patch.toObjects(chunk, form.list);
      if (alternatives.length === 0) return undefined;
      const first = alternatives.find((alternative, place) => indexOf(alternative, place) === 0);
      if (first === undefined && !hasFirst) hold(chunk, alternatives);
      hasFirst ||= first !== undefined;
      const kept = first === undefined || end.isPast(chunk, first) ? [] : [first];
      if (kept.length < alternatives.length) patch.set(chunk, form.list, kept);
      return first;
    },
    /** Called at `[DONE]`. */
    close: end.close,
    /** Returns the chunks of the alternative that counts because none has index 0. */
    rest(): JsonObject[] {
      if (hasFirst) return [];
      const { isPast } = createEnd(form);
      return held.filter((chunk) => {
        const { [form.list]: alternatives } = chunk;
        const [other] = Array.isArray(alternatives) ? alternatives.filter(isObject) : [];
        return other !== undefined && !isPast(chunk, other);
      });
    },
  };
}

/** An alternative without an index has its place in the list. */
function indexOf(alternative: JsonObject | undefined, place: number): number {
  const index = alternative?.['index'];
  return index === undefined || index === null ? place : Number(index);
}

/** Finds the end of an answer. */
function createEnd({ id: idKey, finishReason, hasContent }: AnswerForm) {
  let id: JsonValue | undefined;
  let hasBegun = false;
  let hasReason = false;
  let isOver = false;
  return {
    isOver: () => isOver,
    close(): void {
      isOver = true;
    },
    /** Whether the alternative comes after the end of the answer. */
    isPast(chunk: JsonObject, alternative: JsonObject): boolean {
      const isOther = Boolean(chunk[idKey]) && Boolean(id) && chunk[idKey] !== id;
      if (isOver || (hasReason && isOther)) {
        isOver = true;
        return true;
      }
      id ??= chunk[idKey];
      const reason = alternative[finishReason];
      const isReason = typeof reason === 'string' && reason !== '';
      const isContent = hasContent(alternative);
      isOver = isReason && hasBegun && !isContent;
      hasBegun ||= isContent;
      hasReason ||= isReason;
      return false;
    },
  };
}

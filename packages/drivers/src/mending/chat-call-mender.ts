import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { createEchoes, type OpenCall } from './call-echoes.ts';
import type { EventPatch } from './event-patch.ts';

/** Creates the mender of the calls of one stream of Chat Completions chunks. */
export function createCallMender() {
  const open = new Map<string, OpenCall>();
  /** Pieces of a call that came before its name. */
  const early = new Map<string, JsonObject>();

  /** Whether the piece repeats a call that is complete. A client would make it twice. */
  const isRepeated = (key: string, id: JsonValue | undefined, called: JsonObject): boolean => {
    const call = open.get(key);
    const { name, arguments: input } = called;
    if (call === undefined || !id || id !== call.id || name !== call.name || input !== call.input)
      return false;
    return isObject(parseJson(call.input));
  };
  /** Whether the piece repeats a complete call, with whatever index. */
  const repeatsAny = (id: JsonValue | undefined, called: JsonObject): boolean =>
    [...open.keys()].some((key) => isRepeated(key, id, called));
  const record = (key: string, id: JsonValue | undefined, called: JsonObject): void => {
    const piece = typeof called['arguments'] === 'string' ? called['arguments'] : '';
    const call = open.get(key);
    if (call !== undefined && (!id || id === call.id)) call.input += piece;
    else open.set(key, { id, name: String(called['name'] ?? ''), input: piece });
  };
  /** Returns the call with the pieces that came before its name, or undefined if the name has not come yet. */
  const withName = (key: string, call: JsonObject, called: JsonObject): JsonObject | undefined => {
    const before = early.get(key);
    const hasName = Boolean(called['name']);
    if (open.has(key) || (hasName && before === undefined)) return call;
    const id = call['id'] || before?.['id'];
    const earlier = isObject(before?.['function']) ? before['function'] : {};
    const input = `${earlier['arguments'] ?? ''}${called['arguments'] ?? ''}`;
    const joined = { ...call, id: id ?? '', function: { ...called, arguments: input } };
    if (hasName) {
      early.delete(key);
      return joined;
    }
    early.set(key, joined);
    return undefined;
  };

  const echoes = createEchoes(open);

  return {
    /** @param isEnd Whether the delta is the last one of the answer. */
    mend(delta: JsonObject, patch: EventPatch, isEnd: boolean): void {
      const { tool_calls: calls = [] } = delta;
      if (!Array.isArray(calls)) return;
      const pieces = calls.filter(isObject).flatMap((call): JsonObject[] => {
        const { index, function: called } = call;
        if (!isObject(called)) return [call];
        if (repeatsAny(call['id'], called)) return [];
        if (typeof index !== 'number') {
          // Without an index and an id, a piece cannot be assigned here.
          if (call['id']) record(`id ${call['id']}`, call['id'], called);
          return [call];
        }
        const key = String(index);
        const named = echoes.has(key) ? call : withName(key, call, called);
        const heard = named && echoes.withoutEcho(key, named);
        if (heard === undefined) return [];
        record(key, heard['id'], isObject(heard['function']) ? heard['function'] : {});
        return [heard];
      });
      const kept = isEnd ? [...pieces, ...echoes.rest()] : pieces;
      const isSame = kept.length === calls.length && kept.every((call, index) => call === calls[index]);
      if (!isSame) patch.set(delta, 'tool_calls', kept);
    },
  };
}

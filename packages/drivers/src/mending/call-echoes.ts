import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

export interface OpenCall {
  id: JsonValue | undefined;
  name: string;
  input: string;
}

/**
 * Holds back calls that repeat another one in pieces, with its id and name at another index. A client would give the
 * repetition an id of its own and make it.
 */
export function createEchoes(open: ReadonlyMap<string, OpenCall>) {
  const held = new Map<string, JsonObject>();

  const repeated = (key: string, call: JsonObject): OpenCall | undefined =>
    [...open].find(([other, { id, name }]) => {
      return other !== key && Boolean(id) && id === call['id'] && name === fieldOf(call, 'name');
    })?.[1];

  return {
    /** Whether the call of an index is held back. */
    has: (key: string): boolean => held.has(key),
    /** Returns the piece, or the whole call so far if it differs from the other one. Undefined: it is held back. */
    withoutEcho(key: string, piece: JsonObject): JsonObject | undefined {
      const before = held.get(key);
      if (before === undefined && open.has(key)) return piece;
      const call = before === undefined ? piece : joined(before, piece);
      const other = repeated(key, call);
      if (other === undefined) return piece;
      const input = fieldOf(call, 'arguments');
      if (other.input.startsWith(input) || input.startsWith(other.input)) {
        held.set(key, call);
        return undefined;
      }
      held.delete(key);
      return call;
    },
    /** Returns the calls held back that have more arguments than the other one. Called at the end of the answer. */
    rest(): JsonObject[] {
      const calls = [...held].filter(([key, call]) => {
        return fieldOf(call, 'arguments').length > (repeated(key, call)?.input.length ?? 0);
      });
      held.clear();
      return calls.map(([, call]) => call);
    },
  };
}

function joined(before: JsonObject, piece: JsonObject): JsonObject {
  const input = fieldOf(before, 'arguments') + fieldOf(piece, 'arguments');
  return { ...before, function: { name: fieldOf(before, 'name'), arguments: input } };
}

function fieldOf({ function: called }: JsonObject, key: 'name' | 'arguments'): string {
  const value = isObject(called) ? called[key] : undefined;
  return typeof value === 'string' ? value : '';
}

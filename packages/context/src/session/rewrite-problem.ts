import type { JsonValue } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';
import type { MessageReading, PartChange } from './message-format.ts';
import { isSame } from './same-message.ts';

/**
 * Returns what is wrong with a rewritten message, given its readings before and after: a change that is missing, a part
 * that changed without being named, or a lost part. Undefined if nothing is wrong.
 */
export function rewriteProblem(
  before: MessageReading,
  after: MessageReading,
  changes: ReadonlyMap<number, PartChange>,
): string | undefined {
  if (before.role !== after.role) return `its role is ${after.role} instead of ${before.role}`;
  if (before.role === 'system' || after.role === 'system') return undefined;
  const old = itemsOf(before);
  const now = itemsOf(after);
  if (old.length !== now.length) return `it has ${now.length} parts or results instead of ${old.length}`;
  for (const [index, item] of old.entries()) {
    const change = changes.get(index);
    const found = now[index];
    if (change === undefined && !isSame(item, found)) return `part ${index} changed, which no change names`;
    if (change !== undefined && !hasChange(found, change))
      return `part ${index} does not have its new ${nameOf(change)}`;
    if (change !== undefined && identityOf(item) !== identityOf(found))
      return `part ${index} has another id or name`;
  }
  return undefined;
}

type Item =
  | (MessageReading & { role: 'user' })['parts'][number]
  | (MessageReading & { role: 'tool' })['results'][number];

function itemsOf(reading: Exclude<MessageReading, { role: 'system' }>): Item[] {
  return reading.role === 'tool' ? reading.results : reading.parts;
}

function nameOf(change: PartChange): 'text' | 'arguments' {
  return 'text' in change ? 'text' : 'arguments';
}

function hasChange(item: Item | undefined, change: PartChange): boolean {
  if (item === undefined) return false;
  if ('input' in change) return 'input' in item && isSame(plain(change.input), plain(item.input));
  return textOf(item) === change.text;
}

function plain(input: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(input)) as JsonValue;
}

function textOf(item: Item): string | undefined {
  if (!('type' in item)) return textOfOutput(item.output);
  return 'text' in item ? item.text : undefined;
}

function identityOf(item: Item | undefined): string {
  if (item === undefined || !('callId' in item)) return '';
  return 'name' in item ? `${item.callId} ${item.name}` : item.callId;
}

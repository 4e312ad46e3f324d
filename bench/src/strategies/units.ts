import type { RecordedEvent, RecordedSession } from '@longhaul/replay';

/** One message of a chat API: a user message, an answer with its calls, or the result of one call. */
export interface Unit {
  readonly kind: 'user' | 'answer' | 'result';
  readonly events: readonly RecordedEvent[];
  readonly tokens: number;
  /** Index after its last event. */
  readonly end: number;
  /** For a result: the index of its call's event. */
  readonly call?: number;
}

/** Converts a session to chat messages. Calls are identified by the index of their event. */
export function unitsOf({ events, steps }: RecordedSession): Unit[] {
  const starts = new Set(steps.map((step) => step.firstEvent));
  const units: { kind: Unit['kind']; events: RecordedEvent[]; end: number; call?: number }[] = [];
  const openCalls: { index: number; event: RecordedEvent }[] = [];
  for (const [index, event] of events.entries()) {
    const last = units.at(-1);
    if (event.kind === 'call') openCalls.push({ index, event });
    if (event.kind === 'user') units.push({ kind: 'user', events: [event], end: index + 1 });
    else if (event.kind === 'result') {
      units.push({ kind: 'result', events: [event], end: index + 1, call: takeCall(openCalls, event) });
    } else if (last?.kind === 'answer' && !starts.has(index)) {
      last.events.push(event);
      last.end = index + 1;
    } else units.push({ kind: 'answer', events: [event], end: index + 1 });
  }
  return units.map((unit) => ({
    ...unit,
    tokens: unit.events.reduce((sum, event) => sum + event.tokens, 0),
  }));
}

/** Removes and returns the open call with the same arguments, or else the oldest open call. */
function takeCall(open: { index: number; event: RecordedEvent }[], result: RecordedEvent): number {
  const found = open.findIndex(({ event }) => event.input === result.input && event.args === result.args);
  const [call] = open.splice(Math.max(0, found), 1);
  return call?.index ?? -1;
}

/** Returns the number of units before an event. Starts counting at `from`. */
export function unitsBefore(units: readonly Unit[], from: number, event: number): number {
  let count = from;
  while ((units[count]?.end ?? Number.POSITIVE_INFINITY) <= event) count += 1;
  return count;
}

export function tokensOfUnits(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

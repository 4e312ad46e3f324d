import type { RecordedEvent, RecordedSession } from '@longhaul/replay';

/** What a chat API takes as one message: a user's, an answer with its calls, or the result of one call. */
export interface Unit {
  readonly kind: 'user' | 'answer' | 'result';
  readonly events: readonly RecordedEvent[];
  readonly tokens: number;
  /** Behind its last event. */
  readonly end: number;
  /** Of a result: which event its call is. */
  readonly call?: number;
}

/** The session as messages of a chat. Calls are named by the number of their event. */
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

/** The call with these arguments, or the oldest that waits. */
function takeCall(open: { index: number; event: RecordedEvent }[], result: RecordedEvent): number {
  const found = open.findIndex(({ event }) => event.input === result.input && event.args === result.args);
  const [call] = open.splice(Math.max(0, found), 1);
  return call?.index ?? -1;
}

/** The number of units that lie before an event. */
export function unitsBefore(units: readonly Unit[], from: number, event: number): number {
  let count = from;
  while ((units[count]?.end ?? Number.POSITIVE_INFINITY) <= event) count += 1;
  return count;
}

export function tokensOfUnits(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens, 0);
}

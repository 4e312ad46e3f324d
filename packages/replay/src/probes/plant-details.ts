import type { Message } from '@longhaul/protocol';
import { type RecordedSession, recordSession } from '../backtest/recorded-session.ts';
import { type Detail, detailsFor, type PlantedMessage } from './planted-details.ts';

/** A question that is asked at a step, about a detail that is older than the window. */
export interface Probe {
  readonly detail: Detail;
  readonly step: number;
  /** Tokens of the session from the end of the detail to the step. */
  readonly age: number;
  /** Index of the first step after the detail. */
  readonly since: number;
}

export interface PlantedSession {
  readonly session: RecordedSession;
  /** By ascending step. */
  readonly probes: readonly Probe[];
}

/** The shares of the session's tokens between which details are planted, and at which questions are asked. */
const FIRST_PLACE = 0.04;
const LAST_PLACE = 0.6;
const ASKED_AT = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/**
 * Plants details at known places of a recorded session, and returns the questions about them. The places and the names
 * depend on the session alone.
 */
export function plantDetails(messages: readonly Message[]): PlantedSession {
  const recorded = recordSession(messages);
  const details = detailsFor(recorded.steps.length);
  const all = details.flatMap((detail) =>
    detail.messages.map((message, index) => ({ detail, message, index })),
  );
  // Of a detail with two messages, other details are between them.
  const ordered = all.toSorted((left, right) => left.index - right.index);
  const places = placesFor(recorded, ordered.length);
  const planted = [...recorded.messages];
  for (const [number, { message }] of [...ordered.entries()].toReversed())
    planted.splice(places[number] ?? 0, 0, asMessage(message, number));
  const session = recordSession(planted.map((message, index) => ({ ...message, sequence: index + 1 })));
  return { session, probes: probesOf(session, ordered) };
}

/** Returns the indexes of the messages before which the planted ones are added, in ascending order. */
function placesFor({ events, messages, tokens }: RecordedSession, count: number): number[] {
  const wanted = Array.from({ length: count }, (_, index) => {
    const share = FIRST_PLACE + ((LAST_PLACE - FIRST_PLACE) * index) / Math.max(1, count - 1);
    return share * tokens;
  });
  const places: number[] = [];
  let passed = 0;
  for (const event of events) {
    passed += event.tokens;
    while (places.length < count && passed >= (wanted[places.length] ?? 0))
      places.push(event.messageIndex + 1);
  }
  while (places.length < count) places.push(messages.length);
  return places;
}

function asMessage({ role, parts }: PlantedMessage, number: number): Message {
  return {
    id: `planted-${number}`,
    sessionId: '',
    sequence: 0,
    role,
    parts: parts.map((part) =>
      part.type === 'tool' ? { ...part, callId: `${part.callId}-${number}` } : part,
    ),
    status: 'done',
    createdAt: 0,
    tokenCount: 0,
  };
}

function probesOf(session: RecordedSession, ordered: readonly { detail: Detail }[]): Probe[] {
  const lastNumber = new Map(ordered.map(({ detail }, number) => [detail, number]));
  const before = tokensBefore(session);
  return ASKED_AT.flatMap((share) => {
    const step = lastStepWithin(session, before, share * session.tokens);
    return [...lastNumber].flatMap(([detail, number]) => {
      const messageIndex = session.messages.findIndex(({ id }) => id === `planted-${number}`);
      const since = session.steps.findIndex((each) => each.messageIndex > messageIndex);
      const age = (before[step] ?? 0) - (before[since] ?? Number.POSITIVE_INFINITY);
      return since === -1 || age <= 0 ? [] : [{ detail, step, age, since }];
    });
  });
}

/** Returns the tokens of all events before each step. */
function tokensBefore({ events, steps }: RecordedSession): number[] {
  let next = 0;
  let tokens = 0;
  return steps.map(({ firstEvent }) => {
    for (const event of events.slice(next, firstEvent)) tokens += event.tokens;
    next = firstEvent;
    return tokens;
  });
}

function lastStepWithin({ steps }: RecordedSession, before: readonly number[], tokens: number): number {
  const after = before.findIndex((each) => each > tokens);
  return after === -1 ? steps.length - 1 : Math.max(0, after - 1);
}

import { FactSightings } from './fact-sightings.ts';
import { factsIn, fileOfCall, splitPath } from './facts.ts';
import type { RecordedEvent, RecordedSession, RecordedStep } from './recorded-session.ts';

/** Last mentioned more than this many tokens before its step, a fact is far. */
export const FAR_TOKENS = 20_000;

/** A fact that stands in the arguments of some call. */
export interface Fact {
  readonly text: string;
  /** Of a fact that is a path. */
  readonly path?: { readonly folder: string; readonly name: string };
  /** The file it came from. Absent for a path, and where it came from no call that names a file. */
  readonly file?: string;
}

/** A need: a fact, by its number, at one step. */
export interface Need {
  readonly fact: number;
  readonly isFar: boolean;
}

export interface SessionFacts {
  readonly facts: readonly Fact[];
  /** Finds the same facts in texts. */
  readonly sightings: FactSightings;
  /** For each step of the session, what it needed. */
  readonly needs: readonly (readonly Need[])[];
}

/** What each step of a session needed: the facts in its calls' arguments that stood in an event before the step. */
export function sessionFacts(session: RecordedSession): SessionFacts {
  const facts = callFacts(session.events);
  const sightings = new FactSightings(facts);
  const walk = new Walk(facts, sightings);
  let next = 0;
  const needs = session.steps.map((step) => {
    for (const event of session.events.slice(next, step.firstEvent)) walk.pass(event);
    next = step.firstEvent;
    return walk.needsOf(callsOf(session, step));
  });
  return { facts: facts.map((text, number) => describe(text, walk.fileOf(number))), sightings, needs };
}

function callFacts(events: readonly RecordedEvent[]): string[] {
  const facts = new Set<string>();
  for (const event of events)
    if (event.kind === 'call') for (const fact of factsIn(event.text)) facts.add(fact);
  return [...facts];
}

function callsOf({ events }: RecordedSession, { firstEvent, endEvent }: RecordedStep): RecordedEvent[] {
  return events.slice(firstEvent, endEvent).filter((event) => event.kind === 'call');
}

function describe(text: string, file: string | undefined): Fact {
  const path = splitPath(text);
  if (path !== undefined) return { text, path };
  return file === undefined ? { text } : { text, file };
}

interface Mention {
  firstFile: string | undefined;
  /** Tokens of the session up to the end of the event that mentioned it last. */
  lastTokens: number;
}

class Walk {
  readonly #sightings: FactSightings;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #mentions = new Map<number, Mention>();
  #tokens = 0;

  constructor(facts: readonly string[], sightings: FactSightings) {
    this.#sightings = sightings;
    this.#numbers = new Map(facts.map((text, number) => [text, number]));
  }

  fileOf(fact: number): string | undefined {
    return this.#mentions.get(fact)?.firstFile;
  }

  pass(event: RecordedEvent): void {
    this.#tokens += event.tokens;
    const firstFile = event.args === undefined ? undefined : fileOfCall(event.input, event.args);
    for (const fact of this.#sightings.mentionedIn(event.text)) {
      const known = this.#mentions.get(fact);
      if (known === undefined) this.#mentions.set(fact, { firstFile, lastTokens: this.#tokens });
      else known.lastTokens = this.#tokens;
    }
  }

  needsOf(calls: readonly RecordedEvent[]): Need[] {
    const facts = new Set(calls.flatMap((call) => [...factsIn(call.text)]));
    return [...facts].flatMap((text) => {
      const fact = this.#numbers.get(text);
      const mention = fact === undefined ? undefined : this.#mentions.get(fact);
      if (fact === undefined || mention === undefined) return [];
      return [{ fact, isFar: this.#tokens - mention.lastTokens > FAR_TOKENS }];
    });
  }
}

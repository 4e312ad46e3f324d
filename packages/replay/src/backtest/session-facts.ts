import { argumentText } from '@longhaul/context/engine';
import { FactSightings } from './fact-sightings.ts';
import { factsIn, fileInWorkspace, fileOfCall, splitPath } from './facts.ts';
import type { RecordedEvent, RecordedSession, RecordedStep } from './recorded-session.ts';

/** A fact is far if more tokens than this separate its last mention from the step. */
const FAR_TOKENS = 20_000;

/** An identifier in the arguments of a call. */
export interface Fact {
  readonly text: string;
  /** Only for a fact that is a path. */
  readonly path?: { readonly folder: string; readonly name: string };
  /** The file of the call that first showed it. Undefined for a path, and if no call with a file showed it first. */
  readonly file?: string;
}

/** A fact that one step needs, by its number. */
export interface Need {
  readonly fact: number;
  readonly isFar: boolean;
}

export interface SessionFacts {
  readonly facts: readonly Fact[];
  /** Finds these facts in texts. */
  readonly sightings: FactSightings;
  /** For each step of the session, the facts that it needs. */
  readonly needs: readonly (readonly Need[])[];
}

/** Returns the facts that each step needs: those in its calls' arguments that an event before the step contains. */
export function sessionFacts(session: RecordedSession, workspace?: string): SessionFacts {
  const facts = callFacts(session.events);
  const sightings = new FactSightings(facts);
  const walk = new Walk(facts, sightings);
  let next = 0;
  const needs = session.steps.map((step) => {
    for (const event of session.events.slice(next, step.firstEvent)) walk.pass(event);
    next = step.firstEvent;
    return walk.needsOf(callsOf(session, step));
  });
  const fileOf = (number: number) => {
    const file = walk.fileOf(number);
    return file === undefined ? undefined : fileInWorkspace(file, workspace);
  };
  return { facts: facts.map((text, number) => describe(text, fileOf(number))), sightings, needs };
}

function callFacts(events: readonly RecordedEvent[]): string[] {
  const facts = new Set<string>();
  for (const event of events)
    if (event.kind === 'call') for (const fact of factsOfCall(event)) facts.add(fact);
  return [...facts];
}

/** In JSON, `\\n` and `self.items` would become the name `nself.items`. So the arguments are decoded first. */
function factsOfCall({ text, input }: RecordedEvent): Set<string> {
  return factsIn(input === undefined ? text : argumentText(input));
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
  /** Tokens of the session up to the end of the last event that mentions it. */
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
    const firstFile = event.input === undefined ? undefined : fileOfCall(event.input);
    for (const fact of this.#sightings.mentionedIn(event.text)) {
      const known = this.#mentions.get(fact);
      if (known === undefined) this.#mentions.set(fact, { firstFile, lastTokens: this.#tokens });
      else known.lastTokens = this.#tokens;
    }
  }

  needsOf(calls: readonly RecordedEvent[]): Need[] {
    const facts = new Set(calls.flatMap((call) => [...factsOfCall(call)]));
    return [...facts].flatMap((text) => {
      const fact = this.#numbers.get(text);
      const mention = fact === undefined ? undefined : this.#mentions.get(fact);
      if (fact === undefined || mention === undefined) return [];
      return [{ fact, isFar: this.#tokens - mention.lastTokens > FAR_TOKENS }];
    });
  }
}

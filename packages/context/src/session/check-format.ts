import { type JsonValue, LonghaulError } from '@longhaul/protocol';
import { textOfOutput } from '../view.ts';
import { missingSamples, strayResults } from './check-samples.ts';
import type { MessageFormat, MessageReading, OpenCall, PartChange } from './message-format.ts';
import { rewriteProblem } from './rewrite-problem.ts';
import { isSame, snapshotOf } from './same-message.ts';
import { unreadFields } from './unread-fields.ts';
import { validReading } from './valid-reading.ts';

/** What the samples of a format need not show. */
export interface CheckFormatOptions {
  /** Whether the samples must have calls of tools. Default true. */
  tools?: boolean;
  /** Names of fields with texts or lists that the model never gets, so that the format does not read them. */
  notSent?: readonly string[];
}

/**
 * Tests a message format against its contract. Call it in a unit test.
 *
 * For each sample, it checks that the reading is valid and always the same, that `rewrite` changes each text, call and
 * result alone and all together, that it changes nothing else, and that no sample is modified. It replaces each text
 * and argument of a sample and removes each element of its lists, such as an image: the reading must change, because
 * what is not read is not counted. It also checks that the messages that the format writes can be read. What the
 * samples do not show is not checked, so they must have: a user's text, an answer's text, an answer with two calls, an
 * answer with a call and no text, and a result for every call.
 *
 * @param samples A conversation in order, with every kind of content that you use, and texts in the arguments of calls.
 * @throws {LonghaulError} `invalid_request` with a list of all problems.
 */
export function checkFormat<M>(
  format: MessageFormat<M>,
  samples: readonly M[],
  { tools = true, notSent = [] }: CheckFormatOptions = {},
): void {
  const problems: string[] = [];
  const readings = samples.flatMap((sample, index) =>
    (format.split?.(sample) ?? [sample]).map((piece) => {
      const check = new SampleCheck(format, piece, { name: `Sample ${index}`, notSent });
      problems.push(...check.problems());
      return check.reading;
    }),
  );
  problems.push(
    ...missingSamples(readings, tools),
    ...strayResults(readings),
    ...writtenProblems(format, tools),
  );
  if (problems.length === 0) return;
  throw new LonghaulError(
    'invalid_request',
    `The message format breaks its contract:\n${problems.map((problem) => `- ${problem}`).join('\n')}`,
  );
}

type Reading = MessageReading | undefined;

class SampleCheck<M> {
  readonly reading: Reading;
  readonly #format: MessageFormat<M>;
  readonly #sample: M;
  readonly #name: string;
  readonly #notSent: readonly string[];
  readonly #found: string[] = [];

  constructor(
    format: MessageFormat<M>,
    sample: M,
    { name, notSent }: { name: string; notSent: readonly string[] },
  ) {
    this.#format = format;
    this.#sample = sample;
    this.#name = name;
    this.#notSent = notSent;
    this.reading = this.#unmodified('read', () => this.#read(sample));
  }

  problems(): string[] {
    const { reading } = this;
    if (reading === undefined) return this.#found;
    if (!isSame(reading, this.#read(this.#sample))) this.#report('read does not always return the same');
    this.#checkUnread();
    const changes = changesOf(reading);
    for (const [index, change] of changes) this.#rewrite(reading, new Map([[index, change]]));
    if (changes.size > 1) this.#rewrite(reading, changes);
    return this.#found;
  }

  #checkUnread(): void {
    const read = (message: M) => validReading(this.#format.read(message), 0);
    for (const field of unreadFields(this.#sample, read, { notSent: this.#notSent }))
      this.#report(
        `${field} is not read: the reading stays the same if it changes, so it is not counted. Read it, with opaquePart() if nothing else fits, or name it in notSent if the model never gets it`,
      );
  }

  #rewrite(reading: MessageReading, changes: ReadonlyMap<number, PartChange>): void {
    const parts = [...changes.keys()].join(', ');
    const name = `rewrite of part ${parts}`;
    const rewritten = this.#unmodified(name, () =>
      this.#try(name, () => this.#format.rewrite(this.#sample, changes)),
    );
    if (rewritten === undefined) return;
    const after = this.#read(rewritten);
    const problem = after === undefined ? undefined : rewriteProblem(reading, after, changes);
    if (problem !== undefined) this.#report(`${name}: ${problem}`);
  }

  #read(message: M): Reading {
    return this.#try('read', () => validReading(this.#format.read(message), 0));
  }

  #unmodified<T>(name: string, work: () => T): T {
    const before = snapshotOf(this.#sample);
    const result = work();
    if (!isSame(before, this.#sample)) this.#report(`${name} modifies the message`);
    return result;
  }

  #try<T>(name: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#report(`${name} throws: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  #report(problem: string): void {
    this.#found.push(`${this.#name}: ${problem}`);
  }
}

const NEW_TEXT = 'A shorter text.';

/** Every change that the engine could make: shorter texts, arguments with shorter strings, and other results. */
function changesOf(reading: MessageReading): Map<number, PartChange> {
  const changes = new Map<number, PartChange>();
  if (reading.role === 'tool')
    for (const index of reading.results.keys()) changes.set(index, { text: NEW_TEXT });
  if (reading.role !== 'user' && reading.role !== 'assistant') return changes;
  for (const [index, part] of reading.parts.entries()) {
    if (part.type === 'text') changes.set(index, { text: NEW_TEXT });
    if (part.type === 'tool' && hasString(part.input)) changes.set(index, { input: shortened(part.input) });
  }
  return changes;
}

function hasString(value: JsonValue): boolean {
  if (typeof value === 'string') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasString);
}

function shortened(value: JsonValue): JsonValue {
  if (typeof value === 'string') return NEW_TEXT;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}

const CALL: OpenCall = { callId: 'call_1', name: 'read' };

function writtenProblems<M>(format: MessageFormat<M>, tools: boolean): string[] {
  const written: [name: string, write: () => M, expected: (reading: MessageReading) => boolean][] = [
    ['userMessage', () => format.userMessage(NEW_TEXT), (reading) => isText(reading, 'user')],
    ['assistantMessage', () => format.assistantMessage(NEW_TEXT), (reading) => isText(reading, 'assistant')],
  ];
  if (tools) written.push(['toolMessage', () => format.toolMessage(CALL, NEW_TEXT), isAnswer]);
  return written.flatMap(([name, write, isExpected]) => {
    try {
      const reading = validReading(format.read(write()), 0);
      return isExpected(reading)
        ? []
        : [`${name}: it is not read as written, but as ${JSON.stringify(reading)}`];
    } catch (error) {
      return [`${name} throws: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/** Empty parts, for example for absent reasoning, do no harm. */
function isText(reading: MessageReading, role: 'user' | 'assistant'): boolean {
  if (reading.role !== role) return false;
  const [part, ...more] = reading.parts.filter(
    (candidate) => !('text' in candidate) || candidate.text !== '',
  );
  return more.length === 0 && part?.type === 'text' && part.text === NEW_TEXT;
}

function isAnswer(reading: MessageReading): boolean {
  if (reading.role !== 'tool') return false;
  const [answer, ...more] = reading.results;
  return more.length === 0 && answer?.callId === CALL.callId && textOfOutput(answer.output) === NEW_TEXT;
}

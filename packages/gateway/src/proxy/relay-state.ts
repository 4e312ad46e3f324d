import type { AnswerSoFar } from '../compaction/types.ts';
import type { SseEvent } from '../wire/sse-reader.ts';
import type { ChunkFacts } from './chunk-facts.ts';

/** What was said in all streams of one answer. */
export class SoFar {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];

  add({ text, reasoning }: ChunkFacts): void {
    if (text !== '') this.#text.push(text);
    if (reasoning !== '') this.#reasoning.push(reasoning);
  }

  answer(): AnswerSoFar {
    const reasoning = this.#reasoning.join('');
    return { text: this.#text.join(''), ...(reasoning === '' ? {} : { reasoning }) };
  }
}

/** What is known of one stream of the upstream. */
export class RelayRun {
  isFinished = false;
  hasWritten = false;
  #canStop = true;
  readonly #said: SoFar;

  constructor(said: SoFar) {
    this.#said = said;
  }

  note(facts: ChunkFacts): void {
    if (facts.written !== '') this.hasWritten = true;
    this.#said.add(facts);
    if (facts.hasToolCall || !facts.isSingle) this.#canStop = false;
    if (facts.finishReason !== undefined) this.isFinished = true;
  }

  /** A call that the client has begun to receive cannot be taken back. */
  get canStop(): boolean {
    return this.#canStop;
  }

  isUntouched(out: readonly Buffer[], events: readonly SseEvent[]): boolean {
    return out.length === events.length && out.every((bytes, index) => bytes === events[index]?.raw);
  }
}

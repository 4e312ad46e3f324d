import type { AnswerSoFar } from '../compaction/types.ts';
import type { ChunkFacts } from './chunk-facts.ts';

/** Collects text and reasoning of all streams of one answer. */
export class SoFar {
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];

  add({ text, reasoning }: ChunkFacts): void {
    if (text !== '') this.#text.push(text);
    if (reasoning !== '') this.#reasoning.push(reasoning);
  }

  answer(): AnswerSoFar {
    return { text: this.#text.join(''), reasoning: this.#reasoning.join('') };
  }
}

/** The state of one stream of the upstream. */
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

  /**
   * Whether the stream can be stopped and continued. False after a tool call, because the client has received a part of
   * it.
   */
  get canStop(): boolean {
    return this.#canStop;
  }
}

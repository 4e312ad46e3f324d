import type { AnswerSoFar, ObservedUsage, StreamWatch } from '../compaction/types.ts';

/** What the model wrote in one event of a stream. */
export interface AnswerPiece {
  text: string;
  reasoning: string;
  /** All of it: text, reasoning, refusal, calls. */
  written: string;
  hasCall: boolean;
  /** The event belongs to a stream of one answer. */
  isSingle: boolean;
  isEnd: boolean;
}

/** The state of one stream of the upstream, and what all streams of the answer have said. */
export class AnswerRun {
  readonly #watch: StreamWatch | undefined;
  readonly #said: { text: string[]; reasoning: string[] };
  hasWritten = false;
  isFinished = false;
  #isFixed = false;
  #verdict: 'stop' | 'over' | undefined;

  constructor(watch: StreamWatch | undefined, earlier?: AnswerRun) {
    this.#watch = watch;
    this.#said = earlier === undefined ? { text: [], reasoning: [] } : earlier.#said;
  }

  /**
   * Whether the stream can be stopped and continued. False after a call, because the client has received a part of it.
   */
  get canStop(): boolean {
    return this.#watch !== undefined && !this.#isFixed;
  }

  /** Set if the answer must be stopped or ended now. */
  get end(): { kind: 'stop' | 'over'; soFar: AnswerSoFar } | undefined {
    return this.#verdict && { kind: this.#verdict, soFar: this.soFar() };
  }

  /** @param usage Real usage of this stream, if the event has it and the stream has not ended. */
  add({ text, reasoning, written, hasCall, isSingle, isEnd }: AnswerPiece, usage?: ObservedUsage): void {
    if (written !== '' || hasCall) this.hasWritten = true;
    if (hasCall || !isSingle) this.#isFixed = true;
    if (isEnd) this.isFinished = true;
    if (text !== '') this.#said.text.push(text);
    if (reasoning !== '') this.#said.reasoning.push(reasoning);
    if (this.#watch === undefined || this.isFinished) return;
    const byText = written === '' ? 'go-on' : this.#watch.add(written);
    const byUsage = usage === undefined ? 'go-on' : this.#watch.update(usage);
    if (byText === 'over' || byUsage === 'over') this.#verdict = 'over';
    else if (this.canStop && (byText === 'stop' || byUsage === 'stop')) this.#verdict = 'stop';
  }

  soFar(): AnswerSoFar {
    return { text: this.#said.text.join(''), reasoning: this.#said.reasoning.join('') };
  }
}

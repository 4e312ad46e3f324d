import type { AnswerSoFar, ObservedUsage, StreamWatch } from '../compaction/types.ts';
import type { AnswerFacts } from '../proxy/answer-form.ts';

/** The state of one stream of the upstream, and what all streams of the answer have said. */
export class WayRun {
  readonly #watch: StreamWatch | undefined;
  readonly #said: { text: string[]; reasoning: string[] };
  hasWritten = false;
  #hasCall = false;
  #isFinished = false;
  /** Set if the answer must be stopped or ended now. */
  verdict: 'stop' | 'over' | undefined;

  constructor(watch: StreamWatch | undefined, earlier?: WayRun) {
    this.#watch = watch;
    this.#said = earlier?.said ?? { text: [], reasoning: [] };
  }

  get said(): { text: string[]; reasoning: string[] } {
    return this.#said;
  }

  /** False after a tool call, because the client has received a part of it. */
  get canStop(): boolean {
    return this.#watch !== undefined && !this.#hasCall;
  }

  add({ text, reasoning, called, hasCall, end }: AnswerFacts, usage: ObservedUsage | undefined): void {
    const written = text + reasoning + called;
    if (written !== '' || hasCall) this.hasWritten = true;
    if (hasCall) this.#hasCall = true;
    if (end !== undefined) this.#isFinished = true;
    if (text !== '') this.#said.text.push(text);
    if (reasoning !== '') this.#said.reasoning.push(reasoning);
    if (this.#watch === undefined || this.#isFinished) return;
    const verdicts = [
      written === '' ? 'go-on' : this.#watch.add(written),
      usage === undefined ? 'go-on' : this.#watch.update({ promptTokens: usage.promptTokens }),
    ];
    if (verdicts.includes('over')) this.verdict = 'over';
    else if (verdicts.includes('stop') && this.canStop) this.verdict = 'stop';
  }

  soFar(): AnswerSoFar {
    return { text: this.#said.text.join(''), reasoning: this.#said.reasoning.join('') };
  }
}

import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver } from '../ports/index.ts';
import { judgeRead, LEAST_WINDOW_TOKENS, windowBehind } from './silent-truncation.ts';

export interface MeasuredRequest {
  predictedTokens: number;
  /** What stands in this request behind the one before; undefined where it is not that one with more of the same turn behind it. */
  addedTokens?: number | undefined;
  /** Media are estimated too roughly to conclude anything from. */
  hasMedia: boolean;
}

/** A window that was concluded from a prompt which was cut. */
interface Conclusion {
  windowTokens: number;
  /** What it was taken to be before. */
  before: number;
  /** Requests read whole since. */
  confirmations: number;
}

/** So many requests must have been read whole before a conclusion is kept for later runs. */
const CONFIRMATIONS = 2;

/** What the server has shown of its window, beyond what was known at the start. */
export class WindowLearner {
  readonly #driver: ModelDriver;
  #windowTokens: number;
  /** Of requests that were read whole, the largest (no smaller window can be behind it) and the last. 0: none yet. */
  #largestWhole = 0;
  #lastWhole = 0;
  #concluded: Conclusion | undefined;
  #believesUsage = true;

  constructor(driver: ModelDriver) {
    this.#driver = driver;
    this.#windowTokens = driver.info.windowTokens;
  }

  get windowTokens(): number {
    return this.#windowTokens;
  }

  /** A refusal has named the window. */
  async refused(windowTokens: number): Promise<void> {
    if (windowTokens >= this.#windowTokens) return;
    this.#windowTokens = windowTokens;
    await this.#driver.serverWindow?.learned(windowTokens);
  }

  /**
   * Looks at what the server says it has read of a request. Some drop the oldest messages without a word, and it shows only there. Then the
   * window is asked for again (a model may be loaded by the first request), else concluded from what was read.
   *
   * @returns `cut`: a part was dropped, and `windowTokens` is what holds from now on. `nonsense`: the numbers cannot be true, and are not
   * used from now on. `ignored`: so it was before.
   */
  async read(
    request: MeasuredRequest,
    { inputTokens }: TokenUsage,
  ): Promise<'whole' | 'cut' | 'nonsense' | 'ignored'> {
    if (!this.#believesUsage) return 'ignored';
    const { predictedTokens, hasMedia } = request;
    const judgement = hasMedia ? 'whole' : this.#judge(request, inputTokens);
    if (judgement === 'whole' || predictedTokens < LEAST_WINDOW_TOKENS) return this.#whole(inputTokens);
    const reported = await this.#driver.serverWindow?.reported();
    if (reported !== undefined) {
      return reported < predictedTokens ? this.#conclude(reported, CONFIRMATIONS) : this.#disbelieve();
    }
    const isKnownToFit = predictedTokens <= Math.max(this.#concluded?.windowTokens ?? 0, this.#largestWhole);
    const behind = windowBehind(inputTokens, predictedTokens);
    if (judgement === 'only-new' || isKnownToFit || behind === undefined) return this.#disbelieve();
    return this.#conclude(Math.max(behind, this.#largestWhole), 0);
  }

  #judge({ predictedTokens, addedTokens }: MeasuredRequest, realTokens: number) {
    const isMeasured = this.#lastWhole > 0;
    const before =
      addedTokens === undefined || !isMeasured ? undefined : { realTokens: this.#lastWhole, addedTokens };
    return judgeRead({ predictedTokens, realTokens, isMeasured, before });
  }

  async #whole(inputTokens: number): Promise<'whole'> {
    this.#largestWhole = Math.max(this.#largestWhole, inputTokens);
    this.#lastWhole = inputTokens;
    const concluded = this.#concluded;
    if (concluded === undefined) return 'whole';
    concluded.confirmations += 1;
    if (concluded.confirmations === CONFIRMATIONS) await this.#keep(concluded.windowTokens);
    return 'whole';
  }

  async #conclude(windowTokens: number, confirmations: number): Promise<'cut'> {
    const before = this.#concluded?.before ?? this.#windowTokens;
    this.#windowTokens = Math.min(this.#windowTokens, windowTokens);
    this.#concluded = { windowTokens: this.#windowTokens, before, confirmations };
    if (confirmations >= CONFIRMATIONS) await this.#keep(this.#windowTokens);
    return 'cut';
  }

  /** What was concluded from the numbers is taken back, for later runs too. */
  async #disbelieve(): Promise<'nonsense'> {
    this.#believesUsage = false;
    const concluded = this.#concluded;
    this.#concluded = undefined;
    if (concluded === undefined) return 'nonsense';
    this.#windowTokens = concluded.before;
    if (concluded.confirmations >= CONFIRMATIONS) await this.#keep(concluded.before);
    return 'nonsense';
  }

  async #keep(windowTokens: number): Promise<void> {
    await this.#driver.serverWindow?.learned(windowTokens);
  }
}

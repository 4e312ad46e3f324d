import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver } from '../ports/index.ts';
import { isFarBelow, LEAST_READ_TOKENS, LEAST_WINDOW_TOKENS, windowBehind } from './silent-truncation.ts';

export interface MeasuredRequest {
  predictedTokens: number;
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
  /** The largest request that was read whole: no smaller window can be behind it. 0: none yet, so predictions are rough. */
  #largestWhole = 0;
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
    const isCalibrated = this.#largestWhole > 0;
    if (hasMedia || !isFarBelow(inputTokens, { predictedTokens, isCalibrated }))
      return this.#whole(inputTokens);
    const isKnownToFit = predictedTokens <= Math.max(this.#concluded?.windowTokens ?? 0, this.#largestWhole);
    if (isKnownToFit) return this.#disbelieve();
    if (predictedTokens < LEAST_WINDOW_TOKENS) return this.#whole(inputTokens);
    const reported = await this.#driver.serverWindow?.reported();
    if (reported !== undefined && reported < predictedTokens) return this.#conclude(reported, CONFIRMATIONS);
    if (inputTokens < LEAST_READ_TOKENS) return this.#disbelieve();
    return this.#conclude(Math.max(windowBehind(inputTokens, predictedTokens), this.#largestWhole), 0);
  }

  async #whole(inputTokens: number): Promise<'whole'> {
    this.#largestWhole = Math.max(this.#largestWhole, inputTokens);
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

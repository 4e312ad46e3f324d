import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver } from '../ports/index.ts';
import { readsTooLittle, windowBehind } from './silent-truncation.ts';

export interface MeasuredRequest {
  predictedTokens: number;
  /** Media are estimated too roughly to conclude anything from. */
  hasMedia: boolean;
}

/** What the server has shown of its window, beyond what was known at the start. */
export class WindowLearner {
  readonly #driver: ModelDriver;
  #windowTokens: number;
  /** A request's real size was seen, so predictions are good. */
  #isCalibrated = false;
  /** Taken from a prompt that was cut; kept for later runs once a request has been read whole. */
  #unconfirmed: { windowTokens: number; before: number } | undefined;
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

  /** A request was read whole. False: this server's numbers are not to be used. */
  async measured(): Promise<boolean> {
    this.#isCalibrated = true;
    const confirmed = this.#unconfirmed;
    this.#unconfirmed = undefined;
    if (confirmed !== undefined) await this.#driver.serverWindow?.learned(confirmed.windowTokens);
    return this.#believesUsage;
  }

  /**
   * Some servers drop the oldest messages without a word; it shows only in how little they say they have read. Then the window is asked for
   * again (a model may be loaded by the first request), else taken to be what was read.
   *
   * @returns The window from now on; `nonsense` when the server says the same of a request that must have fitted; undefined when all was
   * read.
   */
  async checkRead(
    request: MeasuredRequest,
    { inputTokens }: TokenUsage,
  ): Promise<{ windowTokens: number } | 'nonsense' | undefined> {
    const isCalibrated = this.#isCalibrated;
    if (!this.#believesUsage || !readsTooLittle({ ...request, realTokens: inputTokens, isCalibrated })) {
      return undefined;
    }
    if (this.#unconfirmed !== undefined && request.predictedTokens <= this.#unconfirmed.windowTokens) {
      this.#believesUsage = false;
      this.#windowTokens = this.#unconfirmed.before;
      this.#unconfirmed = undefined;
      return 'nonsense';
    }
    const reported = await this.#driver.serverWindow?.reported();
    const windowTokens =
      reported !== undefined && reported < request.predictedTokens
        ? reported
        : windowBehind(inputTokens, request.predictedTokens);
    this.#unconfirmed = { windowTokens, before: this.#unconfirmed?.before ?? this.#windowTokens };
    this.#windowTokens = Math.min(this.#windowTokens, windowTokens);
    return { windowTokens: this.#windowTokens };
  }
}

import type { FittedRequest, ViewMessage } from '@longhaul/context/engine';
import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver } from '../../ports/index.ts';

export interface MeasuredRequest {
  predictedTokens: number;
  /**
   * Tokens that this request adds to the previous one. Undefined unless the request is the previous one with more
   * messages of the same turn appended.
   */
  addedTokens?: number | undefined;
  /** The sizes of media are estimated too roughly to infer a window. */
  hasMedia: boolean;
}

/** A window inferred from a prompt that the server truncated. */
interface InferredWindow {
  windowTokens: number;
  /** The assumed window before the inference. */
  previousTokens: number;
  /** Number of requests since then that were read completely. */
  confirmations: number;
}

/** How much larger a request may really be than predicted, as a share. */
const PREDICTION_ERROR = 0.1;

/** This many requests must be read completely before an inferred window is stored for later runs. */
const CONFIRMATIONS = 2;

/** Learns the server's window from its refusals and from its reported usage. */
export class WindowLearner {
  readonly #driver: ModelDriver;
  #windowTokens: number;
  /**
   * Sizes of the largest and the last request that were read completely. The window is at least the largest. 0: none
   * yet.
   */
  #largestWhole = 0;
  #lastWhole = 0;
  #inferred: InferredWindow | undefined;
  #trustsUsage = true;

  constructor(driver: ModelDriver) {
    this.#driver = driver;
    const { windowTokens } = driver.info;
    const assumedTokens = driver.serverWindow?.assumedTokens ?? windowTokens;
    this.#windowTokens = Math.min(windowTokens, assumedTokens);
    if (assumedTokens >= windowTokens) return;
    this.#inferred = { windowTokens: assumedTokens, previousTokens: windowTokens, confirmations: 0 };
  }

  get windowTokens(): number {
    return this.#windowTokens;
  }

  /** Applies the window that a refusal named. It can only get smaller. */
  async refused(windowTokens: number): Promise<void> {
    if (windowTokens >= this.#windowTokens) return;
    this.#windowTokens = windowTokens;
    await this.#driver.serverWindow?.learned(windowTokens);
  }

  /**
   * Applies a window that was inferred from refusals without sizes. Like one that was inferred from a truncated prompt,
   * it is stored for later runs when requests have been read completely. It stays if the reported usage is nonsense.
   */
  assumed(windowTokens: number): void {
    if (windowTokens >= this.#windowTokens) return;
    this.#windowTokens = windowTokens;
    this.#inferred = { windowTokens, previousTokens: windowTokens, confirmations: 0 };
    this.#assume(windowTokens);
  }

  /**
   * Compares the reported size of a request with its predicted size. Some servers silently drop the oldest messages,
   * and only the reported size shows it. In that case the window is requested from the server again (the first request
   * may have loaded the model), or else inferred from the reported size.
   *
   * @returns `whole`: all was read. `cut`: a part was dropped, and `windowTokens` is updated. `nonsense`: the reported
   * sizes are impossible and are ignored from now on. `ignored`: they have been ignored since an earlier request.
   */
  async read(
    request: MeasuredRequest,
    { inputTokens }: TokenUsage,
  ): Promise<'whole' | 'cut' | 'nonsense' | 'ignored'> {
    if (!this.#trustsUsage) return 'ignored';
    const { predictedTokens, hasMedia } = request;
    const judgement = hasMedia ? 'whole' : this.#judge(request, inputTokens);
    if (judgement === 'whole' || predictedTokens < MIN_WINDOW_TOKENS) return this.#recordWhole(inputTokens);
    const reported = await this.#driver.serverWindow?.reported();
    if (reported !== undefined) {
      const mayExceed = reported < predictedTokens * (1 + PREDICTION_ERROR);
      return mayExceed ? this.#setInferred(reported, CONFIRMATIONS) : this.#ignoreUsage();
    }
    const isKnownToFit = predictedTokens <= Math.max(this.#inferred?.windowTokens ?? 0, this.#largestWhole);
    const inferred = inferWindow(inputTokens, predictedTokens);
    if (judgement === 'only-new' || isKnownToFit || inferred === undefined) return this.#ignoreUsage();
    return this.#setInferred(Math.max(inferred, this.#largestWhole), 0);
  }

  #judge({ predictedTokens, addedTokens }: MeasuredRequest, realTokens: number) {
    const isMeasured = this.#lastWhole > 0;
    const before =
      addedTokens === undefined || !isMeasured ? undefined : { realTokens: this.#lastWhole, addedTokens };
    return judgeRead({ predictedTokens, realTokens, isMeasured, before });
  }

  async #recordWhole(inputTokens: number): Promise<'whole'> {
    this.#largestWhole = Math.max(this.#largestWhole, inputTokens);
    this.#lastWhole = inputTokens;
    const inferred = this.#inferred;
    if (inferred === undefined) return 'whole';
    inferred.confirmations += 1;
    if (inferred.confirmations === CONFIRMATIONS) await this.#store(inferred.windowTokens);
    return 'whole';
  }

  async #setInferred(windowTokens: number, confirmations: number): Promise<'cut'> {
    const previousTokens = this.#inferred?.previousTokens ?? this.#windowTokens;
    this.#windowTokens = Math.min(this.#windowTokens, windowTokens);
    this.#inferred = { windowTokens: this.#windowTokens, previousTokens, confirmations };
    this.#assume(this.#windowTokens);
    if (confirmations >= CONFIRMATIONS) await this.#store(this.#windowTokens);
    return 'cut';
  }

  /** Reverts what was inferred from the reported sizes, including what was stored for later runs. */
  async #ignoreUsage(): Promise<'nonsense'> {
    this.#trustsUsage = false;
    const inferred = this.#inferred;
    this.#inferred = undefined;
    if (inferred === undefined) return 'nonsense';
    this.#assume(undefined);
    this.#windowTokens = inferred.previousTokens;
    if (inferred.confirmations >= CONFIRMATIONS) await this.#store(inferred.previousTokens);
    return 'nonsense';
  }

  /** For the next run with this driver, which may begin before the window is stored. */
  #assume(windowTokens: number | undefined): void {
    const { serverWindow } = this.#driver;
    if (serverWindow !== undefined) serverWindow.assumedTokens = windowTokens;
  }

  async #store(windowTokens: number): Promise<void> {
    await this.#driver.serverWindow?.learned(windowTokens);
  }
}

/** Compares each request of a session with the previous one. */
export class RequestGrowth {
  #before: { messages: ViewMessage[]; rawTokens: number } | undefined;

  /** @param ratio Real tokens per counted token, as used for the prediction. */
  measure({ entries, predictedTokens }: FittedRequest, ratio: number): MeasuredRequest {
    const messages = entries.map((entry) => entry.message);
    const before = this.#before;
    this.#before = { messages, rawTokens: predictedTokens / ratio };
    const hasMedia = messages.some((message) => message.content.some(isMedia));
    if (before === undefined || !continues(messages, before.messages)) return { predictedTokens, hasMedia };
    return { predictedTokens, hasMedia, addedTokens: predictedTokens - before.rawTokens * ratio };
  }
}

/** After a user message, some providers drop the reasoning of the previous turn, so the request may get smaller. */
function continues(messages: readonly ViewMessage[], before: readonly ViewMessage[]): boolean {
  if (!before.every((message, index) => message === messages[index])) return false;
  return messages.slice(before.length).every((message) => message.role === 'assistant');
}

function isMedia(part: ViewMessage['content'][number]): boolean {
  if (part.type === 'tool') return part.output.some(({ type }) => type !== 'text');
  return part.type === 'image' || part.type === 'file';
}

/** Smallest default window of the servers for local models. They do not truncate a shorter prompt. */
const MIN_WINDOW_TOKENS = 2_048;

/**
 * A reported size below this share of the predicted size is too small. Before the first measurement, the estimate may
 * be twice the real size.
 */
const UNMEASURED_SHARE = 0.5;
const MEASURED_SHARE = 0.7;

/** An addition of at least this many estimated tokens makes a request larger, even if the estimate is wrong. */
const MIN_GROWTH_TOKENS = 128;

/** Tolerance within which a reported size equals the size of the addition. */
const ONLY_NEW_ERROR = 0.35;

export interface ReadSizes {
  predictedTokens: number;
  /** As reported by the server. 0: not reported. */
  realTokens: number;
  /** An earlier request was read completely, so the predictions are calibrated. */
  isMeasured: boolean;
  /** The previous request, if this one only appends to it. */
  before?: { realTokens: number; addedTokens: number } | undefined;
}

/**
 * Judges the reported size of a prompt. Some servers (Ollama) drop the oldest messages of a prompt that is too long,
 * and keep the system text and the newest messages. The reported size then stays the same or falls while the prompt
 * grows.
 *
 * @returns `whole`: all was read. `too-little`: a part was dropped. `only-new`: the server counts only the added part,
 * for example because it leaves out cached tokens.
 */
function judgeRead(sizes: ReadSizes): 'whole' | 'too-little' | 'only-new' {
  const { predictedTokens, realTokens, isMeasured, before } = sizes;
  if (realTokens <= 0) return 'whole';
  if (before !== undefined && before.addedTokens >= MIN_GROWTH_TOKENS) {
    const { addedTokens } = before;
    if (realTokens > before.realTokens) return 'whole';
    const isOnlyNew =
      realTokens < before.realTokens / 2 &&
      Math.abs(realTokens - addedTokens) <= addedTokens * ONLY_NEW_ERROR;
    return isOnlyNew ? 'only-new' : 'too-little';
  }
  const share = isMeasured ? MEASURED_SHARE : UNMEASURED_SHARE;
  return realTokens < predictedTokens * share ? 'too-little' : 'whole';
}

/** Smallest reported size from which a window is inferred. A truncated prompt fills most of the window. */
const MIN_READ_TOKENS = MIN_WINDOW_TOKENS / 2;

/**
 * Infers the window of a server that read `realTokens` of a longer prompt: the next power of two, or `realTokens` if
 * the whole prompt would have fitted into that. Undefined if too little was read.
 */
function inferWindow(realTokens: number, predictedTokens: number): number | undefined {
  if (realTokens < MIN_READ_TOKENS) return undefined;
  const usual = Math.max(MIN_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(realTokens)));
  return usual < predictedTokens ? usual : realTokens;
}

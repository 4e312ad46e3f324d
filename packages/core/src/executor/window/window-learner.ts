import type { FittedRequest, ViewMessage } from '@longhaul/context';
import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver } from '../../ports/index.ts';

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

/** Compares each request of a session with the one before it. */
export class RequestGrowth {
  #before: { messages: ViewMessage[]; rawTokens: number } | undefined;

  /** @param ratio Real tokens for one counted token, as the request was predicted with. */
  of({ entries, predictedTokens }: FittedRequest, ratio: number): MeasuredRequest {
    const messages = entries.map((entry) => entry.message);
    const before = this.#before;
    this.#before = { messages, rawTokens: predictedTokens / ratio };
    const hasMedia = messages.some((message) => message.content.some(isMedia));
    if (before === undefined || !continues(messages, before.messages)) return { predictedTokens, hasMedia };
    return { predictedTokens, hasMedia, addedTokens: predictedTokens - before.rawTokens * ratio };
  }
}

/** A message of the user ends a turn, and with it some providers drop what the model thought in it: such requests may shrink. */
function continues(messages: readonly ViewMessage[], before: readonly ViewMessage[]): boolean {
  if (!before.every((message, index) => message === messages[index])) return false;
  return messages.slice(before.length).every((message) => message.role === 'assistant');
}

function isMedia(part: ViewMessage['content'][number]): boolean {
  if (part.type === 'tool') return part.output.some(({ type }) => type !== 'text');
  return part.type === 'image' || part.type === 'file';
}

/** No server of local models has a smaller window by default: a shorter prompt is not cut. */
export const LEAST_WINDOW_TOKENS = 2_048;

/** How far a prediction may be over the real size. Nothing measured yet: texts of some kinds cost half of what is counted. */
const UNMEASURED_SHARE = 0.5;
const MEASURED_SHARE = 0.7;

/** So much added to a request makes it larger, however wrong the estimate is. */
const LEAST_GROWTH_TOKENS = 128;

/** How near to what was added a size is that counts nothing else. */
const ONLY_NEW_ERROR = 0.35;

export interface ReadSizes {
  predictedTokens: number;
  /** As the server reports it; nothing at all is no number. */
  realTokens: number;
  /** Some request was read whole before, so that predictions are good. */
  isMeasured: boolean;
  /** The request is the one before with more behind it. */
  before?: { realTokens: number; addedTokens: number } | undefined;
}

/**
 * What a server's own count says of a prompt. Some servers (Ollama) drop the oldest messages of one that is too long, and keep the system text and
 * the newest: the count then stays where it was, or falls, while the prompt grows.
 *
 * `only-new`: it counts what was added and nothing else, as one that leaves out what it had in its cache.
 */
export function judgeRead(sizes: ReadSizes): 'whole' | 'too-little' | 'only-new' {
  const { predictedTokens, realTokens, isMeasured, before } = sizes;
  if (realTokens <= 0) return 'whole';
  if (before !== undefined && before.addedTokens >= LEAST_GROWTH_TOKENS) {
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

/** What is cut fills the better part of the window: less was read by no server that does not say what its window is. */
const LEAST_READ_TOKENS = LEAST_WINDOW_TOKENS / 2;

/** The window of a server that read `realTokens` of a longer prompt: the next usual size, unless all would have fitted into that. */
export function windowBehind(realTokens: number, predictedTokens: number): number | undefined {
  if (realTokens < LEAST_READ_TOKENS) return undefined;
  const usual = Math.max(LEAST_WINDOW_TOKENS, 2 ** Math.ceil(Math.log2(realTokens)));
  return usual < predictedTokens ? usual : realTokens;
}

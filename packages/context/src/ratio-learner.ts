/**
 * Counted tokens of a request or a message. Text and media are apart, because their counts are wrong for different
 * reasons.
 */
export interface CountedSize {
  text: number;
  media: number;
}

/** Real tokens for each counted token. */
export interface TokenRatios {
  text: number;
  media: number;
}

const TEXT_BOUNDS = { low: 0.5, high: 3 };
/** A provider may scale a large image down to a few dozen tokens, or count a page of a file several times. */
const MEDIA_BOUNDS = { low: 0.02, high: 5 };

/**
 * Variances of the ratios: before the first measurement, and how much they change from one request to the next. A text
 * differs from its count by up to 25 %; the same image has 85 tokens at one provider and 1,600 at another.
 */
const FIRST_VARIANCE = { text: 0.2 ** 2, media: 1 };
const DRIFT = { text: 0.05 ** 2, media: 0.1 ** 2 };

/**
 * Learns the ratios of text and media from the real sizes of whole requests.
 *
 * A request without media gives the ratio of text directly. With media, one number cannot give two ratios, so the error
 * goes where it is likelier: a Kalman filter without measurement noise. Later requests, with more text beside the same
 * media, separate the two.
 */
export class RatioLearner {
  text: number;
  media: number;
  #variance = { text: FIRST_VARIANCE.text, both: 0, media: FIRST_VARIANCE.media };

  constructor(start: Partial<TokenRatios> = {}) {
    this.text = bounded(start.text ?? 1, TEXT_BOUNDS);
    this.media = bounded(start.media ?? 1, MEDIA_BOUNDS);
  }

  /** Afterwards, the ratios give exactly `realTokens` for this size, unless that is out of bounds. */
  learn(size: CountedSize, realTokens: number): void {
    const { text, both, media } = this.#variance;
    const ofText = text * size.text + both * size.media;
    const ofMedia = both * size.text + media * size.media;
    const whole = size.text * ofText + size.media * ofMedia;
    if (!(whole > 0) || !Number.isFinite(realTokens)) return;
    const error = realTokens - (size.text * this.text + size.media * this.media);
    const learnt = {
      text: this.text + (error * ofText) / whole,
      media: this.media + (error * ofMedia) / whole,
    };
    this.#variance = {
      text: text - ofText ** 2 / whole + DRIFT.text,
      both: both - (ofText * ofMedia) / whole,
      media: media - ofMedia ** 2 / whole + DRIFT.media,
    };
    this.#set(learnt, size, realTokens);
  }

  /** If one ratio is out of bounds, the other takes the rest. */
  #set(learnt: TokenRatios, size: CountedSize, realTokens: number): void {
    const media = bounded(learnt.media, MEDIA_BOUNDS);
    const text = size.text > 0 ? (realTokens - media * size.media) / size.text : learnt.text;
    this.text = bounded(text, TEXT_BOUNDS);
    const rest = size.media > 0 ? (realTokens - this.text * size.text) / size.media : media;
    this.media = this.text === text ? media : bounded(rest, MEDIA_BOUNDS);
  }
}

/** A provider that reports wrong numbers must neither switch compaction off nor make every request too large. */
function bounded(ratio: number, { low, high }: { low: number; high: number }): number {
  return Math.min(high, Math.max(low, ratio));
}

import { hash } from 'node:crypto';
import type { ViewMessage } from '@longhaul/context/engine';
import { byteSize, groupDigits, sizeAndLimit } from '@longhaul/core/tool-output';
import { imageSizeOf } from '@longhaul/models';
import type { FileContent, ImageContent, TextContent } from '@longhaul/protocol';
import type { MediaLimits } from './media-limits.ts';
import { describeMedia } from './media-parts.ts';
import { mediaProblem } from './media-problem.ts';
import { type ScaledImage, scaleImage } from './scale-image.ts';
import { soundPng } from './sound-png.ts';

type Content = TextContent | ImageContent | FileContent;
type Medium = ImageContent | FileContent;

/** A medium that is not sent. */
interface LeftOut {
  mediaType: string;
  /** One line for people. */
  reason: string;
}

interface FittedMedia {
  messages: readonly ViewMessage[];
  leftOut: LeftOut[];
}

type Verdict = { fits: true } | { fits: false; problem: string } | { fits: false; replacement: ScaledImage };

/** Each medium is part of many requests, and is checked once. */
const MAX_KNOWN = 200;
const MAX_SCALED = 30;

/**
 * Makes the media of requests acceptable for a provider: scales large images down, and replaces files that it would
 * refuse by a line of text. The same view gives the same messages, so the provider's cache applies.
 */
export class MediaFitter {
  readonly #limits: MediaLimits;
  readonly #known = new Map<string, Promise<Verdict>>();
  readonly #reported = new Set<string>();

  constructor(limits: MediaLimits) {
    this.#limits = limits;
  }

  /** Returns the fitted messages, and the media that are left out for the first time. */
  async fit(messages: readonly ViewMessage[]): Promise<FittedMedia> {
    const media = messages.flatMap(mediaIn);
    if (media.length === 0) return { messages, leftOut: [] };
    const dropped = tooMuch(media, this.#limits);
    const images = media.length - dropped.size;
    const { manyImages, imageSide } = this.#limits;
    const maxSide = images > manyImages.above ? manyImages.side : imageSide;
    const replaced = new Map<Medium, Content>();
    const leftOut: LeftOut[] = [];
    for (const medium of media) {
      const fitted = dropped.has(medium)
        ? omitted(medium, tooLargeTogether(this.#limits))
        : await this.#fitOne(medium, maxSide);
      if (fitted === medium) continue;
      replaced.set(medium, fitted);
      if (fitted.type === 'text') this.#report(medium, fitted, leftOut);
    }
    return {
      messages: replaced.size === 0 ? messages : messages.map((message) => withMedia(message, replaced)),
      leftOut,
    };
  }

  async #fitOne(medium: Medium, maxSide: number): Promise<Content> {
    const verdict = await this.#verdictOn(medium, maxSide);
    if (verdict.fits) return medium;
    if ('problem' in verdict) return omitted(medium, verdict.problem);
    return { ...medium, ...verdict.replacement };
  }

  #verdictOn(medium: Medium, maxSide: number): Promise<Verdict> {
    const { data, mediaType } = describeMedia(medium);
    const key = `${mediaType} ${maxSide} ${hash('sha1', data)}`;
    const known = this.#known.get(key) ?? judge(data, mediaType, { ...this.#limits, imageSide: maxSide });
    this.#known.delete(key);
    this.#known.set(key, known);
    void this.#forgetOld(known);
    return known;
  }

  /** Scaled images are as large as their originals are small, so only the newest are kept. */
  async #forgetOld(added: Promise<Verdict>): Promise<void> {
    const most = 'replacement' in (await added) ? MAX_SCALED : MAX_KNOWN;
    for (const key of this.#known.keys()) {
      if (this.#known.size <= most) return;
      this.#known.delete(key);
    }
  }

  #report(medium: Medium, { text }: TextContent, leftOut: LeftOut[]): void {
    const { data, mediaType } = describeMedia(medium);
    const key = hash('sha1', data);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    leftOut.push({ mediaType, reason: text.slice(1, -1) });
  }
}

function mediaIn(message: ViewMessage): Medium[] {
  const isMedium = (content: { type: string }): content is Medium =>
    content.type === 'image' || content.type === 'file';
  if (message.role === 'user') return message.content.filter(isMedium);
  return message.content.flatMap((part) => (part.type === 'tool' ? part.output.filter(isMedium) : []));
}

function withMedia(message: ViewMessage, replaced: ReadonlyMap<Medium, Content>): ViewMessage {
  const fitted = (content: Content): Content =>
    content.type === 'text' ? content : (replaced.get(content) ?? content);
  if (!mediaIn(message).some((medium) => replaced.has(medium))) return message;
  if (message.role === 'user') return { ...message, content: message.content.map(fitted) };
  const content = message.content.map((part) =>
    part.type === 'tool' ? { ...part, output: part.output.map(fitted) } : part,
  );
  return { ...message, content };
}

async function judge(data: string, mediaType: string, limits: MediaLimits): Promise<Verdict> {
  const problem = mediaProblem(Buffer.from(data, 'base64'), mediaType);
  if (problem !== undefined) return { fits: false, problem };
  if (!mediaType.startsWith('image/')) {
    if (data.length <= limits.fileChars || mediaType.startsWith('text/')) return { fits: true };
    return { fits: false, problem: tooLarge(data, limits.fileChars) };
  }
  const size = imageSizeOf(data);
  const side = Math.max(size?.width ?? 0, size?.height ?? 0);
  if (data.length <= limits.imageChars && side <= limits.imageSide)
    return withoutDamagedChunks(data, mediaType);
  // A picture on which the decoder fails is left out, and does not end the session.
  const scaled = await scaleImage(data, { maxChars: limits.imageChars, maxSide: limits.imageSide }).catch(
    () => ({ problem: tooLarge(data, limits.imageChars) }),
  );
  return 'problem' in scaled ? { fits: false, ...scaled } : { fits: false, replacement: scaled };
}

/** A PNG gets a copy without chunks that some decoders refuse. */
function withoutDamagedChunks(data: string, mediaType: string): Verdict {
  if (mediaType !== 'image/png') return { fits: true };
  const png = Buffer.from(data, 'base64');
  const sound = soundPng(png);
  if (sound === undefined || sound === png) return { fits: true };
  return { fits: false, replacement: { data: sound.toString('base64'), mediaType } };
}

/** Sizes are of the file, which a model can measure. Its base64 text has a third more. */
function tooLarge(data: string, maxChars: number): string {
  const [bytes, most] = [data.length, maxChars].map((chars) => Math.floor((chars * 3) / 4));
  const { size, limit } = sizeAndLimit(bytes ?? 0, most ?? 0);
  return `it has ${size}, and at most ${limit} are accepted. Make a smaller copy with bash, and read that`;
}

/** When media do not fit, this share of them is kept, so that the next ones do not change the request's beginning. */
const KEPT_SHARE = 0.5;

/**
 * Returns the media to leave out of a request that has too many: the oldest. It is decided from the first medium to the
 * last, so that media that are added later change an earlier decision only when the limit is reached again.
 */
function tooMuch(media: readonly Medium[], { totalChars, imageChars, images }: MediaLimits): Set<Medium> {
  const dropped = new Set<Medium>();
  const kept: Medium[] = [];
  let chars = 0;
  const charsOf = (medium: Medium) =>
    Math.min(medium.data.length, medium.type === 'image' ? imageChars : medium.data.length);
  for (const medium of media) {
    kept.push(medium);
    chars += charsOf(medium);
    if (chars <= totalChars && kept.length <= images) continue;
    while (kept.length > 1 && (chars > totalChars * KEPT_SHARE || kept.length > images * KEPT_SHARE)) {
      const oldest = kept.shift();
      if (oldest === undefined) break;
      chars -= charsOf(oldest);
      dropped.add(oldest);
    }
  }
  return dropped;
}

function tooLargeTogether({ images, totalChars }: MediaLimits): string {
  const bytes = byteSize(Math.floor((totalChars * 3) / 4));
  return `it is one of the oldest, and a request can have at most ${groupDigits(images)} images and files, of ${bytes} together. Read it again if you need it`;
}

function omitted(medium: Medium, problem: string): TextContent {
  const { mediaType } = describeMedia(medium);
  const name = medium.type === 'file' && medium.filename !== undefined ? ` "${medium.filename}"` : '';
  const what = mediaType.startsWith('image/') ? 'An image' : 'A file';
  return { type: 'text', text: `[${what}${name} of type ${mediaType} was left out: ${problem}.]` };
}

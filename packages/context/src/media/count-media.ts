import { IMAGE_TOKENS } from '../tokens.ts';
import { base64Bytes, fileTokens } from './file-tokens.ts';
import { imageSizeOf } from './image-size.ts';
import { type ImageDetail, type ImageRule, imageRuleOf, imageTokens } from './image-tokens.ts';

/** An image or a file in a message. */
export interface Media {
  /** Such as `application/pdf`. `image/*` for an image of unknown kind. */
  mediaType: string;
  /** The content: bytes, or Base64 with or without `data:…;base64,`. Absent for a link or an uploaded file. */
  data?: string | Uint8Array;
  /** OpenAI's setting for an image. Default: `auto`. */
  detail?: ImageDetail;
  /** Pages of a PDF, if known. */
  pages?: number;
}

/** Predicts the tokens of an image or a file. Must return a number of at least 0, and must not throw. */
export type MediaCounter = (media: Media) => number;

/**
 * Returns the media counter for a model, found by its name: the rules of OpenAI, Anthropic, Google, Qwen and Mistral
 * for the pixels of an image, the pages of a PDF and the bytes of audio. For sources, see `imageRuleOf` and
 * `fileTokens`.
 *
 * Media of unknown size count as `IMAGE_TOKENS`, except images with `detail: 'low'`.
 *
 * @example createContextSession({ …, countMedia: countMediaOf('claude-sonnet-4-5') });
 */
export function countMediaOf(modelName: string): MediaCounter {
  const rule = imageRuleOf(modelName);
  return (media) => mediaTokens(media, rule);
}

const COMMON_RULES = ['gpt-4o', 'claude'].map(imageRuleOf);

/**
 * The media counter for a model of unknown provider: the larger of the numbers for GPT-4o and Claude.
 */
export function countAnyMedia(media: Media): number {
  return Math.max(...COMMON_RULES.map((rule) => mediaTokens(media, rule)));
}

function mediaTokens(media: Media, rule: ImageRule): number {
  const { mediaType, data, detail, pages } = media;
  // Only OpenAI's API knows this setting. Its servers scale the image down to the same size first.
  if (isImage(mediaType) && detail === 'low') return imageTokens(LOW_DETAIL_SIZE, rule, detail);
  if (isImage(mediaType)) {
    const size = data === undefined ? undefined : imageSizeOf(data);
    return size === undefined ? IMAGE_TOKENS : imageTokens(size, rule, detail);
  }
  if (data === undefined && pages === undefined) return IMAGE_TOKENS;
  return fileTokens({ mediaType, bytes: bytesOf(data), pages }, rule);
}

/** Source: OpenAI, "Images and vision": low detail is a version of 512 × 512 pixels. */
const LOW_DETAIL_SIZE = { width: 512, height: 512 };

function isImage(mediaType: string): boolean {
  return mediaType === 'image' || mediaType.startsWith('image/');
}

function bytesOf(data: Media['data']): number {
  if (data === undefined) return 0;
  return typeof data === 'string' ? base64Bytes(data) : data.length;
}

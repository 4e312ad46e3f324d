import type { ProviderKind } from '../wire-profile.ts';

/** What a provider accepts of media in one request. Sizes are of the base64 text, because that is what is counted. */
export interface MediaLimits {
  /** Characters of one image. */
  imageChars: number;
  /** Pixels of the longest side of an image. */
  imageSide: number;
  /** Above this number of images in a request, a smaller side applies. */
  manyImages: { above: number; side: number };
  /** Number of images in a request. */
  images: number;
  /** Characters of one file. */
  fileChars: number;
  /** Characters of all media of a request. The rest of the body needs room too. */
  totalChars: number;
}

const MB = 1_000_000;

/** https://platform.claude.com/docs/en/build-with-claude/vision, …/pdf-support: 32 MB for the whole request. */
const ANTHROPIC: MediaLimits = {
  imageChars: 5_242_880,
  imageSide: 8_000,
  manyImages: { above: 20, side: 2_000 },
  images: 100,
  fileChars: 28 * MB,
  totalChars: 28 * MB,
};

/** https://developers.openai.com/api/docs/guides/images-vision: 50 MB for the whole request. */
const OPENAI: MediaLimits = {
  ...ANTHROPIC,
  imageChars: 20 * MB,
  manyImages: { above: 500, side: 8_000 },
  images: 500,
  fileChars: 45 * MB,
  totalChars: 45 * MB,
};

/** https://ai.google.dev/gemini-api/docs/image-understanding: 20 MB for a request with its media inside. */
const GOOGLE: MediaLimits = { ...OPENAI, imageChars: 7 * MB, fileChars: 18 * MB, totalChars: 18 * MB };

/** A compatible server can pass requests on to any provider, so the strictest limits apply. */
const COMPATIBLE: MediaLimits = { ...ANTHROPIC, fileChars: 18 * MB, totalChars: 18 * MB };

export function mediaLimits(kind: ProviderKind): MediaLimits {
  if (kind === 'anthropic') return ANTHROPIC;
  if (kind === 'openai') return OPENAI;
  return kind === 'google' ? GOOGLE : COMPATIBLE;
}

import type { ImageRule } from './image-tokens.ts';

/** What is known about a file whose tokens are predicted. */
export interface FileToCount {
  mediaType: string;
  /** Size of the decoded file. */
  bytes: number;
  /** Pages of a PDF, if known. */
  pages?: number;
}

/**
 * The tokens of a page's text and image. Sources: Anthropic, "PDF support" (1,500 to 3,000 for the text, and an image);
 * Google, "Document understanding" (258); OpenAI, "File inputs" (text and an image of each page).
 */
const PAGE_TOKENS: Record<ImageRule['kind'], number> = {
  anthropic: 3_500,
  google: 258,
  'openai-tiles': 1_500,
  'openai-patches': 2_500,
  patches: 2_000,
};

/** Bytes of a PDF's page: scanned pages have more, plain text has less. */
const ASSUMED_PAGE_BYTES = 50_000;

/** Gemini's rate. Other providers count no fewer tokens. Source: Google, "Understand and count tokens". */
const BYTES_PER_AUDIO_TOKEN = 500;

/**
 * Predicts the tokens of a file that the provider reads itself. More often too high than too low, because usage
 * corrects the prediction later.
 */
export function fileTokens({ mediaType, bytes, pages }: FileToCount, rule: ImageRule): number {
  if (mediaType === 'application/pdf')
    return PAGE_TOKENS[rule.kind] * (pages ?? Math.max(1, Math.ceil(bytes / ASSUMED_PAGE_BYTES)));
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/'))
    return Math.ceil(bytes / BYTES_PER_AUDIO_TOKEN);
  // Text has about three bytes for each token, as code does.
  return Math.ceil(bytes / 3);
}

/** Returns the decoded size of Base64, with or without `data:…;base64,`. */
export function base64Bytes(base64: string): number {
  const start = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  return Math.floor(((base64.length - start) * 3) / 4);
}

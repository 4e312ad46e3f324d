import type { ImageRule } from './image-tokens.ts';

export interface FileToCount {
  mediaType: string;
  /** Size of the decoded file. */
  bytes: number;
  /** Pages of a PDF, where known. */
  pages?: number;
}

/**
 * A page's text and its picture. Sources: Anthropic, "PDF support" (1,500 to 3,000 for the text, and an image); Google, "Document understanding"
 * (258); OpenAI, "File inputs" (text and an image of each page).
 */
const PAGE_TOKENS: Record<ImageRule['kind'], number> = {
  anthropic: 3_500,
  google: 258,
  'openai-tiles': 1_500,
  'openai-patches': 2_500,
  patches: 2_000,
};

/** What a page of a PDF takes in the file, from scanned papers (more) to plain text (less). */
const ASSUMED_PAGE_BYTES = 50_000;

/** Gemini's rates, which the others do not undercut. Source: Google, "Understand and count tokens". */
const BYTES_PER_AUDIO_TOKEN = 500;

/** Predicts the tokens of a file that the provider reads itself; rather over than under, since usage corrects it afterwards. */
export function fileTokens({ mediaType, bytes, pages }: FileToCount, rule: ImageRule): number {
  if (mediaType === 'application/pdf')
    return PAGE_TOKENS[rule.kind] * (pages ?? Math.max(1, Math.ceil(bytes / ASSUMED_PAGE_BYTES)));
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/'))
    return Math.ceil(bytes / BYTES_PER_AUDIO_TOKEN);
  // Text by the rule of thumb of three bytes a token, as code has them.
  return Math.ceil(bytes / 3);
}

/** Bytes that base64 (with or without `data:…;base64,`) stands for. */
export function base64Bytes(base64: string): number {
  const start = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  return Math.floor(((base64.length - start) * 3) / 4);
}

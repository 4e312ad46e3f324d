/** What a refusal says about the content of the request. */
export interface RefusedContent {
  about: 'media' | 'part' | 'unknown';
  /** The server takes no such media at all, or the request is too large as a whole. */
  isAboutAll?: boolean;
  /** The place in the request's body, such as `messages.7.content.1`. */
  path?: string;
}

const MEDIA =
  /\b(?:images?|image_url|pictures?|pdfs?|documents?|media|vision|base64|mime ?type|multimodal)\b/i;

/** The server takes none of them, so that leaving one out does not help. */
const NO_MEDIA_AT_ALL =
  /(?:does not|doesn't|do not|cannot|can't) (?:support|accept|process|take) (?:images?|vision|pdfs?|files?|documents?|media)|(?:images?|image_url|vision|image inputs?|multimodal)[^.]{0,30}(?:is|are) (?:not supported|only supported|unsupported|not (?:available|enabled))|not a multimodal model|at most 0 image|support image input/i;

/** Anthropic `messages.7.content.1`, OpenAI `messages[7].content` and `input[3]`, Google `contents[3].parts[1]`. */
const PATH = /\b(?:messages|contents|input)(?:\.?\[\d+\]|\.\d+)(?:\.?\[\d+\]|\.\d+|\.[a-z_]\w*)*/i;

/** DeepSeek, Moonshot: `in assistant tool call message at index 3`. */
const AT_INDEX = /\bmessage at (?:message )?index (\d+)/i;

const STATUSES: readonly (number | undefined)[] = [400, 413, 422];

/**
 * Reads what a refusal says about the request's content. Undefined if the refusal cannot be about it. `unknown` means
 * that the text names neither media nor a place.
 *
 * @param isAboutMedia The refusal is known to be about media, whatever its status: OpenRouter sends 404, llama.cpp 500.
 */
export function readContentRefusal(
  { status, isAboutMedia }: { status: number | undefined; isAboutMedia: boolean },
  { text, param }: { text: string; param?: string },
): RefusedContent | undefined {
  if (!isAboutMedia && !STATUSES.includes(status)) return undefined;
  const named = PATH.exec(param ?? '')?.[0] ?? PATH.exec(text)?.[0];
  const index = AT_INDEX.exec(text)?.[1];
  const path = named ?? (index === undefined ? undefined : `messages.${index}`);
  const found = path === undefined ? {} : { path };
  if (NO_MEDIA_AT_ALL.test(text)) return { about: 'media', isAboutAll: true, ...found };
  // A proxy that refuses the size of the request rarely says more than that.
  if (isAboutMedia || status === 413 || MEDIA.test(text)) return { about: 'media', ...found };
  return { about: path === undefined ? 'unknown' : 'part', ...found };
}

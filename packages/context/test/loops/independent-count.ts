import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const MESSAGE_TOKENS = 4;
/** Fields that are not part of the prompt, or are counted as media. */
const NOT_TEXT = new Set([
  ...['type', 'role', 'detail', 'image_url', 'mediaType', 'data', 'providerOptions', 'source', 'signature'],
  // What LangChain keeps beside a message.
  ...['lc_kwargs', 'lc_namespace', 'response_metadata'],
]);

export interface CountedImage {
  isLow: boolean;
  /** The size is not in the request. */
  isLink: boolean;
}

/**
 * Counts messages of any format as a server would, without the engine's code: OpenAI's vocabulary for every text in
 * them, and a price for each image.
 */
export function independentCount(
  messages: readonly unknown[],
  price: (image: CountedImage) => number,
): number {
  return messages.reduce<number>((sum, message) => sum + MESSAGE_TOKENS + valueTokens(message, price), 0);
}

const known = new Map<string, number>();

function textTokens(text: string): number {
  const tokens = known.get(text) ?? countTokens(text);
  known.set(text, tokens);
  return tokens;
}

function valueTokens(value: unknown, price: (image: CountedImage) => number): number {
  if (typeof value === 'string') return textTokens(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + valueTokens(item, price), 0);
  const image = imageIn(value);
  const media = image === undefined ? 0 : price(image);
  return Object.entries(value)
    .filter(([key]) => !NOT_TEXT.has(key))
    .reduce((sum, [, item]) => sum + valueTokens(item, price), media);
}

/** Returns the image in each of the formats. */
function imageIn(value: object): CountedImage | undefined {
  if (!('image_url' in value || 'mediaType' in value || 'source' in value)) return undefined;
  const data: unknown = 'data' in value ? value.data : undefined;
  const written = JSON.stringify({ ...value, data: undefined });
  return {
    isLow: written.includes('"low"'),
    isLink: data instanceof URL || written.includes('https:'),
  };
}

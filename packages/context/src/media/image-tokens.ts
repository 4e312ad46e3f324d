import type { ImageSize } from './image-size.ts';

/** The rule by which a provider counts an image's pixels as tokens. */
export type ImageRule =
  | { kind: 'openai-tiles'; base: number; tile: number }
  | { kind: 'openai-patches'; multiplier: number }
  | { kind: 'anthropic' }
  | { kind: 'google' }
  | { kind: 'patches'; pixels: number; maxTokens: number };

/** OpenAI's setting for how exactly the model sees an image. */
export type ImageDetail = 'low' | 'high' | 'auto';

/**
 * The first match wins. Sources: OpenAI, "Images and vision, Calculating costs"; Anthropic, "Vision, Evaluate image
 * size"; Google, "Gemini API, Understand and count tokens" and "Image understanding"; Qwen 2.5 VL's
 * preprocessor_config.json (patches of 14 pixels, four for each token).
 */
const RULES: readonly (readonly [pattern: RegExp, rule: ImageRule])[] = [
  [/claude/, { kind: 'anthropic' }],
  [/gemini|gemma/, { kind: 'google' }],
  [/qwen|qvq/, { kind: 'patches', pixels: 28, maxTokens: 16_384 }],
  [/pixtral|mistral|ministral|magistral/, { kind: 'patches', pixels: 16, maxTokens: 4_096 }],
  [/(gpt-5|gpt-4\.1)[\w.-]*-mini/, { kind: 'openai-patches', multiplier: 1.62 }],
  [/(gpt-5|gpt-4\.1)[\w.-]*-nano/, { kind: 'openai-patches', multiplier: 2.46 }],
  [/o4-mini/, { kind: 'openai-patches', multiplier: 1.72 }],
  [/gpt-4o-mini/, { kind: 'openai-tiles', base: 2_833, tile: 5_667 }],
  [/gpt-5/, { kind: 'openai-tiles', base: 70, tile: 140 }],
  [/(^|[/:\s])o[13](-|$)/, { kind: 'openai-tiles', base: 75, tile: 150 }],
];

const DEFAULT_RULE: ImageRule = { kind: 'openai-tiles', base: 85, tile: 170 };

/** Returns the rule for a model, from its name. Unknown models count as GPT-4o, whose counts are in the middle. */
export function imageRuleOf(modelName: string): ImageRule {
  const name = modelName.toLowerCase();
  return RULES.find(([pattern]) => pattern.test(name))?.[1] ?? DEFAULT_RULE;
}

/** The assumed size of an image whose size is not available, such as a linked image. */
export const ASSUMED_IMAGE_SIZE: ImageSize = { width: 1_024, height: 1_024 };

/**
 * Returns the tokens of one image.
 *
 * @example imageTokens({ width: 1024, height: 1024 }, imageRuleOf('gpt-4o')) // 765
 */
export function imageTokens(size: ImageSize, rule: ImageRule, detail: ImageDetail = 'auto'): number {
  switch (rule.kind) {
    case 'openai-tiles':
      return detail === 'low' ? rule.base : rule.base + rule.tile * openaiTiles(size);
    case 'openai-patches':
      return Math.ceil(openaiPatches(size) * rule.multiplier);
    case 'anthropic':
      return anthropicTokens(size);
    case 'google':
      return GOOGLE_TILE_TOKENS * googleTiles(size);
    case 'patches':
      return Math.min(rule.maxTokens, patchesOf(size, rule.pixels));
  }
}

/** The image is scaled down to 2048 × 2048, then to a shorter side of 768, and is then divided into tiles of 512. */
function openaiTiles(size: ImageSize): number {
  const { width, height } = shrink(size, 2_048 / Math.max(size.width, size.height));
  return patchesOf(shrink({ width, height }, 768 / Math.min(width, height)), 512);
}

const MAX_OPENAI_PATCHES = 1_536;

/** Patches of 32 pixels. An image with too many patches is scaled down until a whole number of patches covers it. */
function openaiPatches(size: ImageSize): number {
  const patches = patchesOf(size, 32);
  if (patches <= MAX_OPENAI_PATCHES) return patches;
  const scale = Math.sqrt((32 * 32 * MAX_OPENAI_PATCHES) / (size.width * size.height));
  const columns = (size.width * scale) / 32;
  const rows = (size.height * scale) / 32;
  const fit = scale * Math.min(Math.floor(columns) / columns || 1, Math.floor(rows) / rows || 1);
  return Math.min(MAX_OPENAI_PATCHES, patchesOf(shrink(size, fit), 32));
}

const ANTHROPIC_MAX_SIDE = 1_568;
const ANTHROPIC_MAX_TOKENS = 1_600;

/** Width × height / 750, after the image is scaled down to 1568 pixels and about 1,600 tokens. */
function anthropicTokens(size: ImageSize): number {
  const { width, height } = shrink(size, ANTHROPIC_MAX_SIDE / Math.max(size.width, size.height));
  return Math.min(ANTHROPIC_MAX_TOKENS, Math.ceil((width * height) / 750));
}

const GOOGLE_TILE_TOKENS = 258;

/** One tile up to 384 × 384. A larger image has tiles of two thirds of its shorter side, from 256 to 768 pixels. */
function googleTiles(size: ImageSize): number {
  if (size.width <= 384 && size.height <= 384) return 1;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)));
  return patchesOf(size, side);
}

function patchesOf({ width, height }: ImageSize, side: number): number {
  return Math.max(1, Math.ceil(width / side)) * Math.max(1, Math.ceil(height / side));
}

/** The result is never larger than the original size. */
function shrink({ width, height }: ImageSize, scale: number): ImageSize {
  if (scale >= 1) return { width, height };
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

import type { LongPromptPrice, TokenPrice } from '../usage-cost.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';

const MEDIA = { images: true, files: true };
const TEXT_ONLY = { images: false, files: false };

interface Limits {
  windowTokens: number;
  maxInputTokens?: number;
  maxOutputTokens: number;
}

const limits = (windowTokens: number, maxOutputTokens: number, maxInputTokens?: number): Limits => ({
  windowTokens,
  maxOutputTokens,
  maxInputTokens,
});

const CLAUDE_1M = limits(1_000_000, 128_000);
const CLAUDE_200K = limits(200_000, 64_000);
const GPT_1M = limits(1_050_000, 128_000, 922_000);
const GPT_400K = limits(400_000, 128_000, 272_000);
const GPT_4_1 = limits(1_047_576, 32_768);
const GPT_4O = limits(128_000, 16_384);
const O_SERIES = limits(200_000, 100_000);
const GEMINI = limits(1_048_576, 65_536);

/**
 * Anthropic: writing a cache entry for five minutes costs 1.25 times the input price. Reading it costs 0.1 times that
 * price by default.
 */
const claude = (input: number, output: number, cacheRead = input / 10): TokenPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
});

/**
 * OpenAI, from GPT-5.6 and GPT-6 on: above 272k input tokens, input and cache cost twice as much, and output 1.5 times.
 */
const gptLong = (input: number, output: number, cacheRead: number): TokenPrice => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
  long: {
    aboveTokens: 272_000,
    input: input * 2,
    output: output * 1.5,
    cacheRead: cacheRead * 2,
    cacheWrite: input * 2.5,
  },
});

const flat = (input: number, output: number, cacheRead: number): TokenPrice => ({ input, output, cacheRead });

const above200k = (input: number, output: number, cacheRead: number): LongPromptPrice => ({
  aboveTokens: 200_000,
  input,
  output,
  cacheRead,
});

const HAIKU_5_5_LONG: LongPromptPrice = {
  aboveTokens: 100_000,
  input: 0.5,
  output: 2.5,
  cacheRead: 0.05,
  cacheWrite: 0.625,
};

type Row = readonly [model: string, limits: Limits, price: TokenPrice, accepts?: CatalogueEntry['accepts']];

// Sources, read in November 2026: platform.claude.com/docs (models overview, pricing), developers.openai.com/api/docs
// (models, pricing), ai.google.dev/gemini-api/docs (models, pricing). Text prices of the standard tier. A model with
// uncertain numbers is left out: an unknown window is a clear error, but a wrong one is not.

const ANTHROPIC: readonly Row[] = [
  ['claude-fable-5-1', CLAUDE_1M, claude(10, 50, 0.25)],
  ['claude-fable-5', CLAUDE_1M, claude(10, 50)],
  ['claude-opus-5-5', CLAUDE_1M, claude(4, 20, 0.2)],
  ['claude-opus-5', CLAUDE_1M, claude(5, 25)],
  ['claude-opus-4-5', CLAUDE_200K, claude(5, 25)],
  ['claude-opus-4-1', limits(200_000, 32_000), claude(15, 75)],
  ['claude-sonnet-5-5', CLAUDE_1M, claude(2, 10, 0.1)],
  ['claude-sonnet-5', CLAUDE_1M, claude(2, 10)],
  // 200k without the beta header for long prompts, which is not sent.
  ['claude-sonnet-4-5', CLAUDE_200K, claude(3, 15)],
  ['claude-haiku-5-5', CLAUDE_1M, { ...claude(0.1, 0.5), long: HAIKU_5_5_LONG }],
  ['claude-haiku-4-5', CLAUDE_200K, claude(1, 5)],
];

const OPENAI: readonly Row[] = [
  ['gpt-6.2-sol', GPT_1M, gptLong(2, 10, 0.1)],
  ['gpt-6.1-sol', GPT_1M, gptLong(2, 10, 0.1)],
  ['gpt-6-sol', GPT_1M, gptLong(2, 10, 0.2)],
  ['gpt-6-luna', GPT_1M, gptLong(0.1, 0.5, 0.01)],
  ['gpt-6-astra', GPT_1M, gptLong(10, 50, 1)],
  ['gpt-5.2', GPT_400K, flat(1.75, 14, 0.175)],
  ['gpt-5.1', GPT_400K, flat(1.25, 10, 0.125)],
  ['gpt-5.1-codex', GPT_400K, flat(1.25, 10, 0.125)],
  ['gpt-5.1-codex-mini', GPT_400K, flat(0.25, 2, 0.025)],
  ['gpt-5', GPT_400K, flat(1.25, 10, 0.125)],
  ['gpt-5-codex', GPT_400K, flat(1.25, 10, 0.125)],
  ['gpt-5-mini', GPT_400K, flat(0.25, 2, 0.025)],
  ['gpt-5-nano', GPT_400K, flat(0.05, 0.4, 0.005)],
  ['gpt-4.1', GPT_4_1, flat(2, 8, 0.5)],
  ['gpt-4.1-mini', GPT_4_1, flat(0.4, 1.6, 0.1)],
  ['gpt-4.1-nano', GPT_4_1, flat(0.1, 0.4, 0.025)],
  ['gpt-4o', GPT_4O, flat(2.5, 10, 1.25)],
  ['gpt-4o-mini', GPT_4O, flat(0.15, 0.6, 0.075)],
  ['o3', O_SERIES, flat(2, 8, 0.5)],
  ['o3-mini', O_SERIES, flat(1.1, 4.4, 0.55), TEXT_ONLY],
  ['o4-mini', O_SERIES, flat(1.1, 4.4, 0.275)],
];

const GOOGLE: readonly Row[] = [
  ['gemini-3-pro-preview', GEMINI, { ...flat(2, 12, 0.2), long: above200k(4, 18, 0.4) }],
  ['gemini-3-flash-preview', GEMINI, flat(0.5, 3, 0.05)],
  ['gemini-2.5-pro', GEMINI, { ...flat(1.25, 10, 0.125), long: above200k(2.5, 15, 0.25) }],
  ['gemini-2.5-flash', GEMINI, flat(0.3, 2.5, 0.03)],
  ['gemini-2.5-flash-lite', GEMINI, flat(0.1, 0.4, 0.01)],
];

const entriesOf = (provider: string, rows: readonly Row[]): CatalogueEntry[] =>
  rows.map(([model, size, price, accepts = MEDIA]) => ({ provider, model, ...size, price, accepts }));

/** Models whose numbers were read in the documentation of their providers. They replace those of the public list. */
export const CHECKED_MODELS: readonly CatalogueEntry[] = [
  ...entriesOf('anthropic', ANTHROPIC),
  ...entriesOf('openai', OPENAI),
  ...entriesOf('google', GOOGLE),
];

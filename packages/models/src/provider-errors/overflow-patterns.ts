import type { ErrorBody } from './error-body.ts';

/** The sizes in a refusal of a request that is too long. */
export interface Overflow {
  windowTokens?: number;
  /** Tokens of the prompt, without the room for the answer. */
  requestTokens?: number;
}

/** Codes and types that always mean an overflow. */
const OVERFLOW_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'request_too_large',
  '1261',
  'tokens_limit_reached',
]);

const N = String.raw`(?<window>\d[\d,]*)`;
const M = String.raw`(?<request>\d[\d,]*)`;
const pattern = (source: string): RegExp => new RegExp(source, 'is');

/**
 * The texts by which servers refuse a request as too long. Every pattern is specific to prompts and windows. It must
 * match neither a rate limit ("Too many tokens, please wait") nor a number of tokens in another error ("4500 tokens").
 * Gaps are bounded, so that matching is linear.
 */
const OVERFLOW_PATTERNS: readonly RegExp[] = [
  // vLLM
  pattern(
    String.raw`maximum context length is ${N} tokens.{0,40}?requested \d+ output tokens.{0,60}?${M} input tokens`,
  ),
  // OpenAI, DeepSeek, OpenRouter, vLLM
  pattern(
    `maximum context length is ${N} tokens.{0,80}?(?:resulted in|requested(?: about)?|request has) ${M}`,
  ),
  pattern(`maximum context length is ${N}`),
  pattern(String.raw`prompt \((?:total )?length ${M}\) is longer than the maximum model length of ${N}`),
  pattern(
    String.raw`prompt \((?:total )?length ${M}\) is too long to fit into the model \(context length ${N}\)`,
  ),
  // SGLang
  pattern(
    `maximum context length of ${N} tokens.{0,60}?requested a total of .{0,30}?: ${M} tokens from the input`,
  ),
  pattern(`maximum context length of ${N}`),
  // Text Generation Inference
  pattern(`inputs.{0,3} tokens \\+ .{0,3}max_new_tokens.{0,3} must be <= ${N}\\. given: ${M}`),
  pattern(`inputs.{0,3} must have less than ${N} tokens\\. given: ${M}`),
  pattern(`configured limit of ${N} tokens.{0,60}?resulted in ${M}`),
  pattern('exceeds the context window'),
  pattern(`passed ${M} input tokens.{0,120}?context length is only ${N}`),
  // Anthropic
  pattern(`prompt is too long: ${M} tokens > ${N}`),
  // Fireworks
  pattern(`prompt is too long: ${M}, model maximum context length: ${N}`),
  pattern('prompt is too long'),
  pattern('model_context_window_exceeded'),
  pattern(String.raw`input length and .max_tokens. exceed context limit: ${M} \+ \d+ > ${N}`),
  // Google
  pattern(String.raw`input token count \(?${M}\)? exceeds the maximum number of tokens allowed \(?${N}`),
  // Bedrock
  pattern('input is too long for requested model'),
  // xAI
  pattern(`maximum prompt length is ${N} but the request contains ${M}`),
  // Cerebras
  pattern(`current length is ${M} while limit is ${N}`),
  // Cohere
  pattern(`tokens in the prompt cannot exceed ${N} - received ${M}`),
  // Volcengine
  pattern(`input length ${M} exceeds the maximum length ${N}`),
  pattern('exceed max message tokens'),
  // Groq
  pattern('please reduce the length of the messages or completion'),
  // Mistral
  pattern(`contains ${M} tokens.{0,80}?too large for model with ${N} maximum context length`),
  pattern(`too large for model with ${N} maximum context length`),
  // llama.cpp
  pattern('exceeds the available context size'),
  pattern('context size has been exceeded'),
  pattern(`reached context length of ${N} tokens`),
  // LM Studio
  pattern(String.raw`greater than the context length \(n_keep: ${M}\s*>=\s*n_ctx: ${N}\)`),
  pattern('tokens to keep from the initial prompt is greater than the context length'),
  pattern(`trying to keep the first ${M} tokens.{0,160}?only ${N}`),
  pattern(String.raw`truncate prompt with n_keep \(${M}\) >= n_ctx \(${N}\)`),
  // Ollama
  pattern('prompt is longer than the context length currently available'),
  pattern(String.raw`input length \(${M} tokens\) exceeds.{0,80}?\(${N} tokens\)`),
  pattern('input length exceeds the.{0,20}context length'),
  pattern('prompt too long; exceeded (?:max )?context length'),
  // Qwen, z.ai
  pattern(String.raw`range of input length should be \[\d+, ?${N}\]`),
  // Together
  pattern(String.raw`input \(${M} tokens\) is longer than the model'?s context length \(${N} tokens\)`),
  // GitHub Models
  pattern(`request body too large for .{0,80}?max size: ${N} tokens`),
  // Cloudflare: its sum has the room for the answer too
  pattern(
    String.raw`estimated number of input and maximum output tokens \(\d+\) exceeded this model context window limit \(${N}\)`,
  ),
  // SiliconFlow
  pattern(String.raw`length of prompt_tokens \(${M}\) must be less than max_seq_len \(${N}\)`),
  pattern(String.raw`max_total_tokens \(\d+\) must be less than or equal to max_seq_len \(${N}\)`),
  // TabbyAPI
  pattern(`(?:prompt|context) length ${M} is greater than max_seq_len ${N}`),
  // Copilot
  pattern(`tokens? count of ${M} exceeds the limit of ${N}`),
  pattern(`tokens?.{0,20}exceeds the limit of ${N}(?! ?(?:[kmg]?b|bytes|requests|images|tools))`),
  // Kimi
  pattern(String.raw`exceeded model token limit: ${N}(?: \(requested: ${M}\))?`),
  pattern(String.raw`total message size \d+ exceeds limit \d+`),
  // MiniMax
  pattern('context window exceeds limit'),
];

/** Rate limits that mention tokens, with any status. */
const RATE_LIMIT_TEXT =
  /too many (?:tokens(?!: total number)|requests)|please wait|rate.?limit|per.minute|tokens per (?:min|day)|\b[tr]p[md]\b|throttl/i;

export function isRateLimitText(text: string): boolean {
  // Only the beginning is checked. After it, a server may quote a request that mentions rate limits.
  return RATE_LIMIT_TEXT.test(text.slice(0, 400));
}

/** Returns the sizes of an overflow; undefined if the error is none. */
export function readOverflow(body: ErrorBody): Overflow | undefined {
  const hasCode = [...body.codes].some((code) => OVERFLOW_CODES.has(code));
  if (!hasCode && isRateLimitText(body.text)) return undefined;
  const match = firstMatch(body.text);
  if (!hasCode && !match) return undefined;
  return withNumbers({
    windowTokens: body.windowTokens ?? toCount(match?.groups?.['window']),
    requestTokens: body.requestTokens ?? promptTokens(toCount(match?.groups?.['request']), body.text),
  });
}

/**
 * OpenAI and compatible servers add the room for the answer to the tokens that "you requested". Without this, a wrong
 * prompt size would be learned.
 */
function promptTokens(requested: number | undefined, text: string): number | undefined {
  const asked = toCount(/(\d[\d,]{0,12}) in the (?:completion|output)\b/i.exec(text)?.[1]);
  if (requested === undefined || asked === undefined || asked >= requested) return requested;
  return requested - asked;
}

function firstMatch(text: string): RegExpExecArray | undefined {
  for (const candidate of OVERFLOW_PATTERNS) {
    const match = candidate.exec(text);
    if (match) return match;
  }
  return undefined;
}

function toCount(digits: string | undefined): number | undefined {
  const count = Number(digits?.replaceAll(',', ''));
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

function withNumbers(numbers: { [Key in keyof Overflow]: Overflow[Key] | undefined }): Overflow {
  return {
    windowTokens: numbers.windowTokens,
    requestTokens: numbers.requestTokens,
  };
}

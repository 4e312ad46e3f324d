import { MAX_TOKENS_FIELDS, type MaxTokensField } from '../call-settings.ts';

/** What a refusal says about the field for the maximum length of an answer. */
export interface OutputRefusal {
  /** The field that the server wants. */
  maxTokensField?: MaxTokensField;
  /**
   * The most tokens of an answer that it accepts. 0: it accepts fewer than were requested, but does not say how many.
   */
  maxOutputTokens?: number;
}

const FIELD = String.raw`[\`'"]?\bmax_?(?:completion|output|new)?_?tokens\b[\`'"]?`;
const N = String.raw`(?<limit>\d[\d,]{0,12})`;
const pattern = (source: string): RegExp => new RegExp(source, 'is');

/** OpenAI, Azure: "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead." */
const OTHER_FIELD = pattern(
  String.raw`max_(?:completion_)?tokens.{0,80}?(?:not supported|unsupported|unknown|unrecognized|not permitted).{0,80}?use [\`'"]?(?<field>max_completion_tokens|max_tokens)\b`,
);

/**
 * Limits of an answer. The texts of windows ("maximum context length") are not among them: they say how long a request
 * may be.
 */
const LIMITS: readonly RegExp[] = [
  // Anthropic
  pattern(`max_tokens: \\d+ > ${N}.{0,40}maximum allowed number of output tokens`),
  // OpenAI
  pattern(`${FIELD} is too large: \\d+\\. this model supports at most ${N}`),
  // DeepSeek, Qwen: "the valid range of max_tokens is [1, 8192]"
  pattern(`range of ${FIELD}.{0,20}\\[\\d+, ?${N}\\]`),
  // Groq: "`max_tokens` must be less than or equal to `8192`"
  pattern(`${FIELD}.{0,20}must be (?:less than or equal to|at most|<=) [\`'"]?${N}`),
  // Google: "supported range is from 1 (inclusive) to 8193 (exclusive)"
  pattern(
    `maxOutputTokens value of \\d+ but the supported range is from \\d+ \\(inclusive\\) to ${N} \\((?<end>ex|in)clusive\\)`,
  ),
  // Mistral, z.ai, vLLM proxies: "max_tokens … exceeds the maximum … 4096"
  pattern(
    `${FIELD}.{0,60}exceeds? (?:the )?(?:model'?s? )?(?:maximum|limit|max)(?: output| completion| allowed)?(?: tokens?| length| value| limit)?(?: of| \\(|:)? ?${N}`,
  ),
];

const TOO_LARGE = pattern(
  `${FIELD}.{0,40}(?:is|are|was)? ?(?:too (?:large|high|big|long)|out of range|exceeds)`,
);

/** Returns undefined if the refusal is not about the maximum length of an answer. */
export function readOutputRefusal(text: string): OutputRefusal | undefined {
  const wanted = OTHER_FIELD.exec(text)?.groups?.['field']?.toLowerCase();
  const maxTokensField = MAX_TOKENS_FIELDS.find((field) => field === wanted);
  if (maxTokensField !== undefined) return { maxTokensField };
  for (const candidate of LIMITS) {
    const groups = candidate.exec(text)?.groups;
    const limit = Number(groups?.['limit']?.replaceAll(',', '')) - (groups?.['end'] === 'ex' ? 1 : 0);
    if (Number.isSafeInteger(limit) && limit > 0) return { maxOutputTokens: limit };
  }
  if (!TOO_LARGE.test(text) || /context (?:length|window|size)|prompt/i.test(text)) return undefined;
  return { maxOutputTokens: 0 };
}

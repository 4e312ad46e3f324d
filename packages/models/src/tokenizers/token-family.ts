/** Families of models that split text into the same tokens. */
export type TokenFamily = 'o200k' | 'cl100k' | 'llama3' | 'llama2' | 'mistral' | 'tekken' | 'qwen';

/**
 * The first match wins. A model that is derived from another one keeps its tokenizer. So names of open families come
 * before the name of the company that trained it further: "DeepSeek-R1-Distill-Qwen-32B" counts like Qwen.
 */
const FAMILIES: readonly (readonly [pattern: RegExp, family: TokenFamily])[] = [
  [/gpt-oss|gpt-?4o|gpt-4\.[15]|gpt-?[5-9]|chatgpt|codex|phi-4-mini/, 'o200k'],
  [/gpt-?4|gpt-?3\.?5|davinci-00[23]|text-embedding|phi-?4/, 'cl100k'],
  [/qwen|qwq|qvq/, 'qwen'],
  [/code-?llama|tiny-?llama|vicuna|alpaca|wizardlm|wizardcoder|solar-|phi-?3/, 'llama2'],
  [/llama[-_ ]?v?2|llama-?(7|13|30|33|34|65|70)b/, 'llama2'],
  [/(nemo(?!tron))|ministral|devstral|pixtral|magistral|voxtral/, 'tekken'],
  [/mistral-(small|medium|large)-?(3|24b|25\d\d|26\d\d|latest)/, 'tekken'],
  [/mistral|mixtral|codestral|mathstral|zephyr/, 'mistral'],
  [/llama[-_ ]?v?3|llama(?![-_ ]?[4-9]([-_ .:]|$))|nemotron/, 'llama3'],
  [/(^|[/:\s])o[1345](-|$|:)/, 'o200k'],
];

export interface DetectedFamily {
  family: TokenFamily;
  /** False if the name tells nothing. `family` is then the closest available one. */
  isKnown: boolean;
}

/**
 * Returns the family of a model, from its name in any case and with any prefix.
 *
 * @example detectTokenFamily('mistralai/Mixtral-8x7B-Instruct-v0.1') // { family: 'mistral', isKnown: true }
 */
export function detectTokenFamily(modelName: string): DetectedFamily {
  const name = modelName.toLowerCase();
  const found = FAMILIES.find(([pattern]) => pattern.test(name));
  return found === undefined ? { family: 'o200k', isKnown: false } : { family: found[1], isKnown: true };
}

/** Returns only the family. An unknown model counts like OpenAI's current ones. */
export function tokenFamilyOf(modelName: string): TokenFamily {
  return detectTokenFamily(modelName).family;
}

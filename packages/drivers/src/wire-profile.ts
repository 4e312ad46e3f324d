import type { LearnedSettings, MaxTokensField, ReasoningReturn } from '@longhaul/models';

/**
 * The kinds of servers that drivers support. `lmstudio` and `ollama` are OpenAI-compatible with a default
 * local address. `embedded` is the process of a model that Longhaul runs itself, and OpenAI-compatible too.
 */
export type ProviderKind =
  | 'anthropic'
  | 'openai'
  | 'google'
  | 'openai-compatible'
  | 'lmstudio'
  | 'ollama'
  | 'embedded';

/** The prompt format of a server, where wire formats differ. */
export interface WireProfile {
  /** Tool results can hold media. Otherwise media follow in a user message. */
  mediaInToolResults: boolean;
  /** Tool results can be flagged as errors. Otherwise their text says so. */
  flagsErrors: boolean;
  /** Adjacent user messages are joined, because many chat templates require alternating roles. */
  joinsUserMessages: boolean;
  /** User and assistant messages alternate, a user message is first, and it contains the system text. */
  strictRoles: boolean;
  /** The request marks where the provider caches the beginning of the prompt. */
  cacheBreakpoints: boolean;
  /** The request can have such marks. */
  takesBreakpoints: boolean;
  /** The request names the session, so that its requests reach the server that cached the last one. */
  cacheKey: boolean;
  reasoning: ReasoningReturn;
  /** Reasoning is sent back only with the provider's metadata, such as a signature. Otherwise it is a text. */
  signedReasoning: boolean;
  /** Requests ask for reasoning in a field of its own. MiniMax otherwise writes it into the text. */
  splitsReasoning: boolean;
  /** The field for the maximum tokens of an answer. Other APIs than Chat Completions have one of their own. */
  maxTokensField: MaxTokensField;
  /** The most tokens of an answer that the server accepts, as its refusals have taught. */
  maxOutputTokens: number;
  imageTypes: ReadonlySet<string>;
  callIds: CallIdForm;
}

/** `word`: at most 64 letters, digits, `_` and `-`. `nine`: nine letters or digits. */
export type CallIdForm = 'any' | 'word' | 'nine';

const WEB_IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const GOOGLE_IMAGES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);

const HOSTED: WireProfile = {
  mediaInToolResults: true,
  flagsErrors: true,
  joinsUserMessages: false,
  strictRoles: false,
  cacheBreakpoints: false,
  takesBreakpoints: false,
  cacheKey: false,
  reasoning: 'all',
  signedReasoning: true,
  splitsReasoning: false,
  maxTokensField: 'max_tokens',
  maxOutputTokens: Number.POSITIVE_INFINITY,
  imageTypes: WEB_IMAGES,
  callIds: 'word',
};

const COMPATIBLE: WireProfile = {
  mediaInToolResults: false,
  flagsErrors: false,
  joinsUserMessages: true,
  strictRoles: false,
  cacheBreakpoints: false,
  takesBreakpoints: true,
  cacheKey: false,
  reasoning: 'none',
  signedReasoning: false,
  splitsReasoning: false,
  maxTokensField: 'max_tokens',
  maxOutputTokens: Number.POSITIVE_INFINITY,
  imageTypes: WEB_IMAGES,
  callIds: 'any',
};

/** Mistral's API and chat templates refuse any other form of id. */
const NINE_CHARACTER_IDS = /mistral|mixtral|ministral|codestral|devstral|magistral|pixtral/i;

/**
 * These models refuse a request if an answer with a call has no field for its reasoning, even an empty one.
 *
 * https://api-docs.deepseek.com/guides/thinking_mode, https://platform.moonshot.ai/docs (thinking models). DeepSeek's
 * R1 and its models before V3.1 don't call tools while they think.
 */
const NEEDS_REASONING = /deepseek(?!.*(?:r1|coder|math|-v2))|moonshot|kimi/i;

/** These models and servers read the reasoning of earlier answers, and accept answers without any. */
const READS_REASONING = /minimax|openrouter\.ai/i;

/** OpenAI's reasoning models and Azure's deployments of them refuse `max_tokens`. */
const NEW_LENGTH_FIELD = /\.azure\.com\b|^(?:o[1-9]|gpt-[5-9])/i;

/** These servers pass the marks of a cache on to the provider of the model. */
const PASSES_BREAKPOINTS = /openrouter\.ai|litellm/i;

/** Anthropic caches only what a request marks. */
const NEEDS_BREAKPOINTS = /claude|anthropic/i;

/** The servers whose documentation names `prompt_cache_key`: those of OpenAI, Azure and Moonshot. */
const READS_CACHE_KEY = /\b(?:openai|azure)\.com\b|\bmoonshot\.(?:ai|cn)\b/i;

/** These servers refuse the field, whatever the model. */
const REFUSES_REASONING = /\bgroq\.com|\bmistral\.ai/i;

function returnedReasoning(model: string, baseUrl: string): ReasoningReturn {
  if (REFUSES_REASONING.test(baseUrl)) return 'none';
  if (NEEDS_REASONING.test(`${baseUrl} ${model}`)) return 'all-or-empty';
  return READS_REASONING.test(`${baseUrl} ${model}`) ? 'all' : 'none';
}

export function wireProfile(kind: ProviderKind, model: string, baseUrl = ''): WireProfile {
  if (kind === 'anthropic') return { ...HOSTED, cacheBreakpoints: true, takesBreakpoints: true };
  if (kind === 'google') return { ...HOSTED, imageTypes: GOOGLE_IMAGES };
  if (kind === 'openai') return { ...HOSTED, cacheKey: true };
  return {
    ...COMPATIBLE,
    cacheBreakpoints: PASSES_BREAKPOINTS.test(baseUrl) && NEEDS_BREAKPOINTS.test(model),
    cacheKey: READS_CACHE_KEY.test(baseUrl),
    reasoning: returnedReasoning(model, baseUrl),
    splitsReasoning: /\bminimaxi?\.(?:io|com)\b/i.test(baseUrl),
    maxTokensField:
      NEW_LENGTH_FIELD.test(model) || NEW_LENGTH_FIELD.test(baseUrl) ? 'max_completion_tokens' : 'max_tokens',
    callIds: NINE_CHARACTER_IDS.test(model) || NINE_CHARACTER_IDS.test(baseUrl) ? 'nine' : 'any',
  };
}

/** Returns the profile as configured. */
export function configuredProfile(
  profile: WireProfile,
  { cache, reasoning, strictRoles = false, ...settings }: LearnedSettings & { strictRoles?: boolean },
): WireProfile {
  return {
    ...profile,
    cacheBreakpoints: profile.takesBreakpoints && (cache ?? profile.cacheBreakpoints),
    cacheKey: profile.cacheKey && cache !== false,
    reasoning: reasoning?.return ?? profile.reasoning,
    maxTokensField: settings.maxTokensField ?? profile.maxTokensField,
    maxOutputTokens: settings.maxOutputTokens ?? profile.maxOutputTokens,
    joinsUserMessages: profile.joinsUserMessages || strictRoles,
    strictRoles,
  };
}

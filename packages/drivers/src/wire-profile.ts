import type { CallSettings } from '@longhaul/models';

/**
 * The kinds of servers that drivers support. `lmstudio` and `ollama` are OpenAI-compatible with a default
 * local address.
 */
export type ProviderKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible' | 'lmstudio' | 'ollama';

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
  /**
   * What reasoning is sent back. `signed`: only with the provider's metadata. `open-turn`: as text, since the last user
   * message. `never`: none.
   */
  reasoning: 'signed' | 'open-turn' | 'never';
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
  reasoning: 'signed',
  imageTypes: WEB_IMAGES,
  callIds: 'word',
};

const COMPATIBLE: WireProfile = {
  mediaInToolResults: false,
  flagsErrors: false,
  joinsUserMessages: true,
  strictRoles: false,
  cacheBreakpoints: false,
  reasoning: 'never',
  imageTypes: WEB_IMAGES,
  callIds: 'any',
};

/** Mistral's API and chat templates refuse any other form of id. */
const NINE_CHARACTER_IDS = /mistral|mixtral|ministral|codestral|devstral|magistral|pixtral/i;

/**
 * These models reason between tool calls. Without their own reasoning of the open turn, they refuse a request or lose
 * track. Other compatible servers refuse the field itself.
 */
const NEEDS_OWN_REASONING = /deepseek|kimi-k2|minimax-m2/i;

export function wireProfile(kind: ProviderKind, model: string, baseUrl = ''): WireProfile {
  if (kind === 'anthropic') return { ...HOSTED, cacheBreakpoints: true };
  if (kind === 'google') return { ...HOSTED, imageTypes: GOOGLE_IMAGES };
  if (kind === 'openai') return HOSTED;
  return {
    ...COMPATIBLE,
    reasoning: NEEDS_OWN_REASONING.test(model) ? 'open-turn' : 'never',
    callIds: NINE_CHARACTER_IDS.test(model) || NINE_CHARACTER_IDS.test(baseUrl) ? 'nine' : 'any',
  };
}

/** Returns the profile as configured. */
export function configuredProfile(
  profile: WireProfile,
  { cache, strictRoles = false }: CallSettings & { strictRoles?: boolean },
): WireProfile {
  const known = cache === false ? { ...profile, cacheBreakpoints: false } : profile;
  return strictRoles ? { ...known, joinsUserMessages: true, strictRoles: true } : known;
}

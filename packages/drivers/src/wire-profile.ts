/** The kinds of server the AI SDK driver speaks to. `lmstudio` and `ollama` are OpenAI-compatible with a usual local address. */
export type AiSdkKind = 'anthropic' | 'openai' | 'google' | 'openai-compatible' | 'lmstudio' | 'ollama';

/** How a server wants the prompt, where the wire formats differ. */
export interface WireProfile {
  /** Media may stand inside a tool result; otherwise they follow in a user message. */
  mediaInToolResults: boolean;
  /** A tool result can be flagged as an error; otherwise its text says so. */
  flagsErrors: boolean;
  /** Neighbouring user messages become one: many chat templates demand that roles alternate. */
  joinsUserMessages: boolean;
  /** User and assistant alternate, a user comes first, and the system text stands in its message. */
  strictRoles: boolean;
  /** Marks where the provider shall cache the prompt's beginning. */
  cacheBreakpoints: boolean;
  /** `signed`: with the provider's own metadata; `open-turn`: as text since the last user message; `never`. */
  reasoning: 'signed' | 'open-turn' | 'never';
  imageTypes: ReadonlySet<string>;
  callIds: CallIdForm;
}

/** `word`: letters, digits, `_` and `-`, at most 64. `nine`: nine letters or digits. */
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

/** Mistral's API and its chat templates refuse any other id. */
const NINE_CHARACTER_IDS = /mistral|mixtral|ministral|codestral|devstral|magistral|pixtral/i;

/**
 * These think between tool calls and refuse a request, or lose the thread, without their own reasoning of the open turn. Other
 * compatible servers refuse the field itself.
 */
const NEEDS_OWN_REASONING = /deepseek|kimi-k2|minimax-m2/i;

export function wireProfile(kind: AiSdkKind, model: string, baseUrl = ''): WireProfile {
  if (kind === 'anthropic') return { ...HOSTED, cacheBreakpoints: true };
  if (kind === 'google') return { ...HOSTED, imageTypes: GOOGLE_IMAGES };
  if (kind === 'openai') return HOSTED;
  return {
    ...COMPATIBLE,
    reasoning: NEEDS_OWN_REASONING.test(model) ? 'open-turn' : 'never',
    callIds: NINE_CHARACTER_IDS.test(model) || NINE_CHARACTER_IDS.test(baseUrl) ? 'nine' : 'any',
  };
}

export function withStrictRoles(profile: WireProfile): WireProfile {
  return { ...profile, joinsUserMessages: true, strictRoles: true };
}

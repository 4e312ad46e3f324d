/** Shapes of keys that providers issue and repeat in their errors. */
const KEY_SHAPES: readonly RegExp[] = [
  /\b(?:sk|gsk|csk|xai|hf|ghp|gho|github_pat|nvapi)[-_][A-Za-z0-9*_-]{6,}/g,
  /\bAIza[A-Za-z0-9_-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)*/g,
  /\bAKIA[A-Z0-9]{12,}/g,
];
const LABELLED =
  /\b(bearer|api[-_ ]?key|x-api-key|authorization|token|key|secret)(["']?\s*[:=]\s*["']?|\s+)([A-Za-z0-9*._-]{16,})/gi;
const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]{1,200}@/gi;

/** Returns the text with everything masked that looks like a key, and with the given secrets masked. */
export function maskSecrets(text: string, secrets: readonly string[] = []): string {
  let masked = text;
  for (const secret of secrets) if (secret.length >= 4) masked = masked.replaceAll(secret, '[key]');
  for (const shape of KEY_SHAPES) masked = masked.replace(shape, '[key]');
  return masked.replace(LABELLED, '$1$2[key]').replace(USER_INFO, '$1');
}

const EXCERPT_CHARS = 300;

/** Returns the beginning of a provider's text for a message, with its secrets masked. */
export function excerptOf(text: string, secrets?: readonly string[]): string {
  // Secrets are masked before the text is cut, because half a key has no known shape.
  const masked = maskSecrets(text, secrets).trim();
  return masked.length > EXCERPT_CHARS ? `${masked.slice(0, EXCERPT_CHARS)}…` : masked;
}

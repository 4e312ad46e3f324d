const NAME_CHARS = 64;

/** Returns the name in the form that OpenAI, Anthropic and Google accept. Google requires a letter or `_` first. */
export function toToolName(name: string): string {
  const cleaned = name.replace(/[^a-zA-Z0-9_-]+/g, '_');
  const started = /^[a-zA-Z_]/.test(cleaned) ? cleaned : `_${cleaned}`;
  return started.slice(0, NAME_CHARS);
}

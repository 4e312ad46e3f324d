/** Environment variables with a provider's key, in the order in which they are read. */
export const API_KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
};

/**
 * Returns how a user sets a provider's key: the command that stores it, the environment variables, or the setting in
 * the configuration.
 */
export function howToSetKey(provider: string): string {
  const variables = Object.hasOwn(API_KEY_VARIABLES, provider) ? API_KEY_VARIABLES[provider] : undefined;
  return variables
    ? `Run longhaul login ${provider}, or set ${variables.join(' or ')} in the environment.`
    : `Run longhaul login ${provider}, or set providers.${provider}.apiKey in longhaul.yml, for example to $MY_KEY to read it from the environment.`;
}

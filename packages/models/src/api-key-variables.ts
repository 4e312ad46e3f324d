/** Environment variables that hold a provider's key, in the order in which they are looked at. */
export const API_KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
};

/** How a user gives the key of a provider: `ANTHROPIC_API_KEY`, or the setting of a provider of their own. */
export function howToSetKey(provider: string): string {
  const variables = Object.hasOwn(API_KEY_VARIABLES, provider) ? API_KEY_VARIABLES[provider] : undefined;
  return variables
    ? `Set ${variables.join(' or ')} in the environment, or providers.${provider}.apiKey in longhaul.yml.`
    : `Set providers.${provider}.apiKey in longhaul.yml, for example to $MY_KEY to read it from the environment.`;
}

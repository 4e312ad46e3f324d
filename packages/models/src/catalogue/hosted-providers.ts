/** The providers of the catalogue, and their addresses for OpenAI-compatible clients or their own. */
export const HOSTED_PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  baseten: 'https://inference.baseten.co/v1',
  cerebras: 'https://api.cerebras.ai/v1',
  deepseek: 'https://api.deepseek.com',
  fireworks: 'https://api.fireworks.ai/inference/v1',
  groq: 'https://api.groq.com/openai/v1',
  huggingface: 'https://router.huggingface.co/v1',
  meta: 'https://api.meta.ai/v1',
  minimax: 'https://api.minimax.io/v1',
  mistral: 'https://api.mistral.ai/v1',
  moonshotai: 'https://api.moonshot.ai/v1',
  nvidia: 'https://integrate.api.nvidia.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  together: 'https://api.together.ai/v1',
  xai: 'https://api.x.ai/v1',
  xiaomi: 'https://api.xiaomimimo.com/v1',
  zai: 'https://api.z.ai/api/paas/v4',
};

/** Other hosts of the same providers. */
const OTHER_HOSTS: Readonly<Record<string, string>> = {
  'api.together.xyz': 'together',
  'api.moonshot.cn': 'moonshotai',
  'api.minimaxi.com': 'minimax',
};

/**
 * Returns the provider of the catalogue at this address, by its host. Another server may load a model of the same name
 * with any window.
 */
export function hostedProviderAt(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  if (Object.hasOwn(OTHER_HOSTS, hostname)) return OTHER_HOSTS[hostname];
  return Object.entries(HOSTED_PROVIDERS).find(([, url]) => new URL(url).hostname === hostname)?.[0];
}

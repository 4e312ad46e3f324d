import { type Config, referencedVariable } from '@longhaul/config';
import { API_KEY_VARIABLES } from '@longhaul/models';
import { LonghaulError, suggestion } from '@longhaul/protocol';

/** Where a person gets a key. */
export const KEY_PAGES: Readonly<Record<string, string>> = {
  anthropic: 'https://console.anthropic.com/settings/keys',
  openai: 'https://platform.openai.com/api-keys',
  google: 'https://aistudio.google.com/apikey',
};

type Providers = Pick<Config, 'providers' | 'project'>;

/** Providers whose key can be stored: the built-in ones, and those of the user's own configuration. */
export function loginProviders({ providers, project }: Providers): string[] {
  const own = Object.keys(providers).filter((name) => project?.providers.has(name) !== true);
  return [...new Set([...Object.keys(API_KEY_VARIABLES), ...own])];
}

/** @throws {LonghaulError} `usage` for a provider that is not known, or that a project defines. */
export function requireProvider(name: string, config: Providers): void {
  const known = loginProviders(config);
  if (known.includes(name)) return;
  const why =
    config.project?.providers.has(name) === true
      ? `The project's longhaul.yml defines "${name}", so your keys never go there.`
      : `No provider is called "${name}".${suggestion(name, known)}`;
  throw new LonghaulError(
    'usage',
    `${why} Known: ${known.join(', ')}. Another one: set its address in your own longhaul.yml first (providers.NAME.baseUrl).`,
  );
}

/** Why another key is used in place of the stored one. Undefined: the stored one is used. */
export function otherKey(
  name: string,
  { providers }: Pick<Config, 'providers'>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const configured = Object.hasOwn(providers, name) ? providers[name]?.apiKey : undefined;
  if (configured !== undefined && referencedVariable(configured) === undefined)
    return `providers.${name}.apiKey in longhaul.yml`;
  const usual = Object.hasOwn(API_KEY_VARIABLES, name) ? (API_KEY_VARIABLES[name] ?? []) : [];
  const variable = usual.find((each) => (env[each]?.trim() ?? '') !== '');
  return variable === undefined || configured !== undefined ? undefined : `the variable ${variable}`;
}

const MAX_CHARS = 10_000;

/** @throws {LonghaulError} `usage` for a text that no server can accept as a key. */
export function checkedKey(text: string): string {
  const key = text.trim();
  if (key !== '' && key.length <= MAX_CHARS && /^[\x21-\x7e]+$/.test(key)) return key;
  throw new LonghaulError(
    'usage',
    key === ''
      ? 'The key is empty, so nothing was stored.'
      : 'This is not an API key: a key has no blanks, line breaks or special characters. Nothing was stored.',
  );
}

import type { Config } from '@longhaul/config';
import { API_KEY_VARIABLES, HOSTED_PROVIDERS } from '@longhaul/models';
import { knownSecrets } from './known-secrets.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface PassedEnvironment {
  /** Variables that `sandbox.env` names. They override the sandbox's own. */
  env: Record<string, string>;
  /** With `sandbox.env: all`, everything else but keys. The sandbox's own variables override it. */
  inherited: Record<string, string>;
}

/** Returns the variables of this process that commands get. */
export function passedEnvironment(config: Config, env: Variables): PassedEnvironment {
  const { env: wanted } = config.sandbox;
  if (wanted !== 'all') return { env: pick(env, (name) => wanted.includes(name)), inherited: {} };
  return { env: {}, inherited: withoutKeys(config, env) };
}

/** A value this short can occur in another variable by chance. */
const MIN_CONTAINED_CHARS = 8;

/** Leaves out every variable whose name or value is one of a key, and those of Longhaul itself. */
function withoutKeys(config: Config, env: Variables): Record<string, string> {
  const secrets = [...knownSecrets(config, env), ...keysBelow(config.gateway)];
  const isSecret = (value: string) =>
    KEY_SHAPE.test(value.trim()) ||
    secrets.some(
      (secret) => value === secret || (secret.length >= MIN_CONTAINED_CHARS && value.includes(secret)),
    );
  return pick(env, (name, value) => !isKeyName(name) && !isSecret(value));
}

/** Returns the keys and tokens in a section of the configuration. */
function keysBelow(section: unknown): string[] {
  if (typeof section !== 'object' || section === null) return [];
  return Object.entries(section).flatMap(([key, value]) =>
    typeof value === 'string' && /^(?:apiKey|token)$/.test(key) && value !== '' ? [value] : keysBelow(value),
  );
}

const KNOWN_NAMES: ReadonlySet<string> = new Set(Object.values(API_KEY_VARIABLES).flat());
/** Names of keys, whatever the provider: `NEW_API_KEY`, `AZURE_OPENAI_APIKEY_2`, `ANTHROPIC_AUTH_TOKEN`. */
const KEY_NAME = /API_?KEY|AUTH_TOKEN|OAUTH_TOKEN|BEARER_TOKEN|^LONGHAUL_/i;
/** Credentials of clouds that also serve models. */
const CLOUD_NAME =
  /^(?:AWS_|AZURE_|ARM_CLIENT_|GOOGLE_.*CREDENTIALS|GCLOUD_|GCP_|CLOUDSDK_|VERTEX|BEDROCK_|OCI_|IBM_?CLOUD_|ALIBABA_?CLOUD_|ALICLOUD_|TENCENTCLOUD_|VOLC_?(?:ENGINE_)?(?:ACCESS|SECRET))/i;
/** Other names of providers, and of programs and services that pass requests to them, in names of variables. */
const OTHER_PROVIDERS = [
  ...['gemini', 'vertex', 'claude', 'chatgpt', 'codex', 'azure', 'hf', 'hugging_face', 'kimi', 'moonshot'],
  ...[
    'grok',
    'x_ai',
    'z_ai',
    'zhipu',
    'zhipuai',
    'bigmodel',
    'glm',
    'qwen',
    'dashscope',
    'bailian',
    'doubao',
  ],
  ...[
    'ark',
    'volcengine',
    'hunyuan',
    'ernie',
    'qianfan',
    'stepfun',
    'step',
    'baichuan',
    'siliconflow',
    'modelscope',
  ],
  ...[
    'mimo',
    'togetherai',
    'together_ai',
    'fireworks_ai',
    'ngc',
    'nim',
    'llama',
    'mistralai',
    'codestral',
    'cohere',
  ],
  ...[
    'co',
    'ai21',
    'perplexity',
    'pplx',
    'replicate',
    'deepinfra',
    'novita',
    'nebius',
    'sambanova',
    'hyperbolic',
  ],
  ...[
    'lepton',
    'lambda',
    'anyscale',
    'octoai',
    'featherless',
    'friendli',
    'chutes',
    'inception',
    'upstage',
    'writer',
  ],
  ...[
    'aleph_alpha',
    'watsonx',
    'databricks',
    'snowflake',
    'voyage',
    'jina',
    'github_models',
    'github_copilot',
  ],
  ...[
    'copilot',
    'opencode',
    'zen',
    'litellm',
    'portkey',
    'helicone',
    'requesty',
    'poe',
    'ai_gateway',
    'vllm',
    'ollama',
  ],
  ...['lmstudio', 'lm_studio', 'llm', 'cloudflare', 'cf', 'vercel'],
];
/** `OPENAI_KEY`, `MY_MISTRAL_SECRET`, `KIMI_TOKEN_2`: a provider's name, and a word for a secret at the end. */
const OF_PROVIDER = new RegExp(
  `(?:^|_)(?:${[...Object.keys(HOSTED_PROVIDERS), ...OTHER_PROVIDERS].join('|')})_(?:\\w*_)?(?:\\w*KEY|\\w*TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_?\\w{1,3})?$`,
  'i',
);
/** Values with the prefixes of providers' keys. */
const KEY_SHAPE = /^(?:(?:sk|gsk|csk|xai|hf|nvapi|fw|pplx|r8|tgp)[-_][\w-]{16,}|AIza[\w-]{20,})$/;

function isKeyName(name: string): boolean {
  return [KEY_NAME, CLOUD_NAME, OF_PROVIDER].some((pattern) => pattern.test(name)) || KNOWN_NAMES.has(name);
}

function pick(env: Variables, isWanted: (name: string, value: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isWanted(name, value) ? [[name, value] as const] : [],
    ),
  );
}

import { type Config, DEFAULT_CONFIG } from '@longhaul/config';
import { HOSTED_PROVIDERS } from '@longhaul/models';
import { expect, it } from 'vitest';
import { passedEnvironment } from './passed-environment.ts';
import { requireLocal } from './require-local.ts';

const withSandbox = (sandbox: Partial<Config['sandbox']>, providers: Config['providers'] = {}): Config => ({
  ...DEFAULT_CONFIG,
  providers,
  sandbox: { ...DEFAULT_CONFIG.sandbox, driver: 'local', ...sandbox },
});

const ORDINARY = {
  PYTHONPATH: '/lib',
  VIRTUAL_ENV: '/venv',
  GITHUB_TOKEN_FILE: '/t',
  KEYBOARD: 'de',
  GITHUB_TOKEN: 't',
  NPM_TOKEN: 't',
  SSH_AUTH_SOCK: '/run/ssh',
  DATABASE_URL: 'postgres://user:pass@host/db',
  DB_PASSWORD: 'p',
  OPENAI_BASE_URL: 'https://host/v1',
  OLLAMA_HOST: 'host',
  GOOGLE_CLOUD_PROJECT: 'p',
  STEP_NAME: 's',
  CO_AUTHOR: 'a',
  PASSAGE: 'x',
};

it('passes only the named variables by default', () => {
  const env = { ...ORDINARY, OPENAI_API_KEY: 'sk-1' };
  expect(passedEnvironment(withSandbox({}), env)).toEqual({ env: {}, inherited: {} });
  expect(passedEnvironment(withSandbox({ env: ['VIRTUAL_ENV', 'ABSENT'] }), env)).toEqual({
    env: { VIRTUAL_ENV: '/venv' },
    inherited: {},
  });
});

it.each([
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GEMINI_API_KEY',
  'GROQ_API_KEY',
  'openai_api_key',
  'AZURE_OPENAI_APIKEY_2',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'HF_TOKEN',
  'HUGGING_FACE_HUB_TOKEN',
  'OPENAI_KEY',
  'MISTRAL_SECRET',
  ...Object.keys(HOSTED_PROVIDERS).flatMap((provider) =>
    ['_API_KEY', '_KEY', '_TOKEN', '_SECRET', '_SECRET_KEY', '_ACCESS_TOKEN'].map(
      (end) => provider.toUpperCase() + end,
    ),
  ),
  'KIMI_KEY',
  'MOONSHOT_KEY',
  'MOONSHOT_ACCESS_TOKEN',
  'DASHSCOPE_KEY',
  'ZHIPUAI_TOKEN',
  'MY_OPENAI_KEY',
  'MISTRAL_KEY_2',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_PROFILE',
  'AZURE_CLIENT_SECRET',
  'AZURE_TENANT_ID',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_APPLICATION_CREDENTIALS_JSON',
  'VERTEXAI_CREDENTIALS',
  'CLOUDFLARE_API_TOKEN',
  'GITHUB_COPILOT_TOKEN',
  'LONGHAUL_API_KEY',
  'LONGHAUL_GATEWAY_TOKEN',
])('passes everything with `all`, but never the key in %s', (name) => {
  const config = withSandbox({ env: 'all' });
  expect(passedEnvironment(config, { ...ORDINARY, [name]: 'any value' })).toEqual({
    env: {},
    inherited: ORDINARY,
  });
});

it('withholds the variables that providers of the configuration name, and copies of keys under other names', () => {
  const config = withSandbox({ env: 'all' }, {
    team: { apiKey: '$TEAM_PASS', headers: { 'x-team': '$TEAM_HEADER' } },
    filled: { apiKey: 'value-of-the-key' },
  } as Config['providers']);
  const env = {
    ...ORDINARY,
    TEAM_PASS: 'correct horse battery',
    TEAM_HEADER: 'header-secret',
    COPY: 'value-of-the-key',
    URL: 'https://user:value-of-the-key@host/',
    SHAPE: `sk-proj-${'a1'.repeat(20)}`,
    GOOGLE: `AIza${'b2'.repeat(16)}`,
  };
  expect(passedEnvironment(config, env).inherited).toEqual(ORDINARY);
});

it('withholds the keys of the gateway', () => {
  const gateway = { ...DEFAULT_CONFIG.gateway, token: 'token-of-the-gateway' };
  const config = { ...withSandbox({ env: 'all' }), gateway };
  expect(passedEnvironment(config, { ...ORDINARY, GW: 'token-of-the-gateway' }).inherited).toEqual(ORDINARY);
});

it.each(['auto', 'docker', 'bubblewrap'] as const)(
  'refuses `all` and kept processes in the sandbox %s',
  (driver) => {
    const { sandbox } = withSandbox({ driver });
    expect(() => requireLocal(sandbox)).not.toThrow();
    expect(() => requireLocal({ ...sandbox, env: 'all' })).toThrow(/sandbox\.env is "all"/);
    expect(() => requireLocal({ ...sandbox, keepProcesses: true })).toThrow(
      /only with sandbox\.driver: local/,
    );
    expect(() =>
      requireLocal({ ...sandbox, driver: 'local', env: 'all', keepProcesses: true }),
    ).not.toThrow();
  },
);

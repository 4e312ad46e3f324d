import { DEFAULT_CONFIG } from '@longhaul/config';
import { expect, it } from 'vitest';
import { knownSecrets } from './known-secrets.ts';

it('returns keys of the configuration and the environment, and no server name used as a key', () => {
  const providers = {
    mine: { apiKey: '$MINE_KEY' },
    lmstudio: { apiKey: 'lm-studio' },
    other: { apiKey: 'written-out' },
    placed: { apiKey: 'Ollama' },
  };
  const env = { MINE_KEY: ' from-the-environment\n', ANTHROPIC_API_KEY: 'sk-ant-1', OPENAI_API_KEY: ' ' };
  const secrets = knownSecrets({ ...DEFAULT_CONFIG, providers }, env);
  expect(secrets.toSorted()).toEqual(['from-the-environment', 'sk-ant-1', 'written-out']);
});

import { DEFAULT_CONFIG, resolveModel } from '@longhaul/config';
import { expect, it } from 'vitest';
import { resolveOther } from './choose-model.ts';

it.each([
  ['mine/small', undefined, 'of-the-run'],
  ['other/small', undefined, 'of-other'],
  ['mine/small', 'https://flag.example/v1', undefined],
])(
  'gives LONGHAUL_API_KEY to another model only at the address of the run: %s beside %s',
  (model, baseUrl, key) => {
    const providers = {
      mine: { baseUrl: 'https://mine.example/v1' },
      other: { baseUrl: 'https://other.example/v1', apiKey: 'of-other' },
    };
    const config = { ...DEFAULT_CONFIG, providers };
    const env = { LONGHAUL_API_KEY: 'of-the-run' };
    const main = resolveModel(config, { model: 'mine/big', baseUrl, env, apiKey: 'of-the-run' });
    expect(resolveOther(config, { model, main }, env).apiKey).toBe(key);
  },
);

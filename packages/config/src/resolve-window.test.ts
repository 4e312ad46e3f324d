import { expect, it } from 'vitest';
import type { ResolvedModel } from './resolve-model.ts';
import { modelInfoOf, resolveWindow } from './resolve-window.ts';

const LLAVA: ResolvedModel = {
  provider: 'ollama',
  model: 'llava:7b',
  kind: 'ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
};
const IDLE = { source: 'Ollama /api/tags', acceptsImages: true };

it('accepts images for a model that its server has not loaded yet', async () => {
  const window = await resolveWindow(LLAVA, { probe: async () => IDLE, flag: 8_192 });
  expect(window).toMatchObject({ windowTokens: 8_192, source: '--window', acceptsImages: true });
  expect(modelInfoOf(LLAVA, window).accepts).toEqual({ images: true, files: false });
  const off = { ...LLAVA, accepts: { images: false } };
  expect(modelInfoOf(off, window).accepts.images).toBe(false);
});

it('uses the configured window if the server reports only the images', async () => {
  const model: ResolvedModel = { ...LLAVA, windowTokens: 4_096, windowSource: 'configuration' };
  const window = await resolveWindow(model, { probe: async () => IDLE });
  expect(window).toMatchObject({ windowTokens: 4_096, source: 'configuration', acceptsImages: true });
});

it('does not know the window of a model that is not loaded', async () => {
  await expect(resolveWindow(LLAVA, { probe: async () => IDLE })).rejects.toMatchObject({
    code: 'window_unknown',
  });
});

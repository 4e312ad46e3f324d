import { expect, it } from 'vitest';
import { shownModel } from './shown-model.ts';

it('shows a model inside Longhaul as a person writes it, and any other by its name', () => {
  expect(shownModel('embedded//models/a.gguf')).toBe('embedded:/models/a.gguf');
  expect(shownModel('embedded/qwen3-4b')).toBe('embedded:qwen3-4b');
  expect(shownModel('openai/embedded/one')).toBe('openai/embedded/one');
});

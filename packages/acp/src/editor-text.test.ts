import { expect, it } from 'vitest';
import { editorText } from './editor-text.ts';

it('advises what a person can do in an editor if there is no model', () => {
  const text = editorText({
    code: 'model_not_configured',
    message: 'longhaul run --model NAME --base-url URL',
  });
  expect(text).toContain('longhaul login');
  expect(text).not.toContain('--');
});

it.each(['key_missing', 'unknown_model', 'window_unknown'] as const)(
  'adds the editor’s list to %s',
  (code) => {
    const message = 'Set it in longhaul.yml.';
    expect(editorText({ code, message })).toMatch(/^Set it in longhaul\.yml\.\n.*\beditor\b/);
  },
);

it('leaves other messages alone', () => {
  expect(editorText({ code: 'not_found', message: 'There is no m9.' })).toBe('There is no m9.');
});

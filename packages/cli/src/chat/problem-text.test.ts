import { noModelMessage } from '@longhaul/config';
import { expect, it } from 'vitest';
import { problemText } from './problem-text.ts';

it('advises commands of the chat, and not of the shell, if there is no model', () => {
  const text = problemText({ code: 'model_not_configured', message: noModelMessage() });
  expect(text).toContain('/login');
  expect(text).toContain('/model');
  expect(text).not.toContain('longhaul');
});

it('adds the commands of the chat to the message about a key', () => {
  const message = 'The server does not accept the API key. Run longhaul login openai.';
  expect(problemText({ code: 'provider_auth', message })).toBe(
    `${message}\nIn this chat, /login stores a key, and /model chooses another model.`,
  );
});

it('leaves other messages alone', () => {
  expect(problemText({ code: 'not_found', message: 'There is no m9.' })).toBe('There is no m9.');
});

import { expect, it } from 'vitest';
import { escapeForTerminal } from '../safe-terminal.ts';
import { widthOf } from './format.ts';
import { isLinkable, link } from './link.ts';

const TARGET = 'https://a.org/x';
const OWN = link('shown', TARGET);

it('passes its own links to the terminal, and counts no columns for them', () => {
  expect(escapeForTerminal(`a ${OWN} b`)).toBe(`a ${OWN} b`);
  expect(widthOf(OWN)).toBe('shown'.length);
});

it.each([
  ['without an id', '\u001b]8;;https://evil.org\u001b\\x\u001b]8;;\u001b\\'],
  ['with another id', '\u001b]8;id=0123456789abcdef;https://evil.org\u001b\\x'],
  ['that ends with BEL', '\u001b]8;;https://evil.org\u0007x\u001b]8;;\u0007'],
  ['with the right id and another protocol', OWN.replace(TARGET, 'vscode://evil')],
  ['with more parameters', OWN.replace('id=', 'x=1:id=')],
])('escapes a link %s', (_, text) => {
  const shown = escapeForTerminal(text);
  expect(shown).not.toMatch(/\u001b\]8;[^;]*;[^\u001b]/);
  expect(shown).toContain('\\u001b]8;');
});

it.each([
  'https://a.org/\u0007',
  'https://a.org/ x',
  'javascript:x',
  'https://a.org/\u001b\\',
  'HTTPS://x\n',
])('has no link to %j', (target) => expect(isLinkable(target)).toBe(false));

// @vitest-environment happy-dom
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { currentTheme, setTheme } from './theme.ts';

/** The program that runs before the first paint. */
const BEFORE_PAINT = readFileSync(join(import.meta.dirname, '../../public/theme.js'), 'utf8');
const reload = () => {
  delete document.documentElement.dataset['theme'];
  new Function(BEFORE_PAINT)();
};

describe('the theme', () => {
  beforeEach(() => {
    localStorage.clear();
    reload();
  });

  it('follows the system at first', () => {
    expect(currentTheme()).toBe('system');
  });

  it.each(['light', 'dark'] as const)('stays %s after the page is loaded again', (theme) => {
    setTheme(theme);
    expect(document.documentElement.dataset['theme']).toBe(theme);
    reload();
    expect(currentTheme()).toBe(theme);
  });

  it('can follow the system again', () => {
    setTheme('dark');
    setTheme('system');
    reload();
    expect(currentTheme()).toBe('system');
  });

  it('ignores a stored value that is not a theme', () => {
    localStorage.setItem('longhaul-theme', 'x" onload="alert(1)');
    reload();
    expect(currentTheme()).toBe('system');
  });
});

import { afterEach, expect, it } from 'vitest';
import { escapeForTerminal } from '../safe-terminal.ts';
import { createPaint } from './paint.ts';
import { chooseBackground, reportBackground, startTheme } from './theme.ts';

afterEach(() => startTheme({}));

const paint = createPaint(true);
const WHITE = { r: 255, g: 255, b: 255 };
const BLACK = { r: 0, g: 0, b: 0 };
const ON_DARK = '\u001b[36mx\u001b[39m';
const ON_LIGHT = '\u001b[34mx\u001b[39m';

it.each([
  [{}, ON_DARK],
  [{ COLORFGBG: '15;0' }, ON_DARK],
  [{ COLORFGBG: '0;default;8' }, ON_DARK],
  [{ COLORFGBG: '0;15' }, ON_LIGHT],
  [{ COLORFGBG: '0;default;7' }, ON_LIGHT],
  [{ COLORFGBG: 'default' }, ON_DARK],
  [{ COLORFGBG: '0;15', COLORTERM: 'truecolor' }, '\u001b[38;2;5;80;174mx\u001b[39m'],
  [{ COLORTERM: 'truecolor' }, ON_DARK],
])('chooses colours by the environment %j', (env, expected) => {
  startTheme(env);
  expect(paint.note('x')).toBe(expected);
});

it('follows what the terminal reports, unless a person chose', () => {
  startTheme({});
  reportBackground(WHITE);
  expect(paint.note('x')).toBe(ON_LIGHT);
  reportBackground(BLACK);
  expect(paint.note('x')).toBe(ON_DARK);
  chooseBackground('light');
  reportBackground(BLACK);
  expect(paint.note('x')).toBe(ON_LIGHT);
  chooseBackground('auto');
  chooseBackground(undefined);
  expect(paint.note('x')).toBe(ON_LIGHT);
});

it('passes the colours of every theme to the terminal, and no others', () => {
  for (const env of [{}, { COLORFGBG: '0;15' }, { COLORFGBG: '0;15', COLORTERM: '24bit' }]) {
    startTheme(env);
    const text = ['good', 'bad', 'warn', 'note', 'dim', 'bold', 'italic', 'underline'] as const;
    const painted = text.map((name) => paint[name](name)).join('');
    expect(escapeForTerminal(painted)).toBe(painted);
  }
  expect(escapeForTerminal('\u001b[38;2;0;0;0mx\u001b[8m\u001b[7m')).not.toContain('\u001b');
});

it('continues a style after another one inside it', () => {
  expect(paint.bad(`a${paint.good('b')}c`)).toBe('\u001b[31ma\u001b[32mb\u001b[31mc\u001b[39m');
  expect(paint.dim(`a${paint.bold('b')}c`)).toBe('\u001b[2ma\u001b[1mb\u001b[22m\u001b[2mc\u001b[22m');
  expect(paint.note('')).toBe('');
});

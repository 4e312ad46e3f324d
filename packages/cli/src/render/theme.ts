import type { Terminal } from '../terminal.ts';

export type Background = 'dark' | 'light';

/** The colours of `Paint`, as parameters of the control sequence that turns one on. */
export interface Palette {
  good: string;
  bad: string;
  warn: string;
  note: string;
}

/** Colours of the terminal's own palette, which a person may have chosen: green, red, yellow, cyan. */
const DARK: Palette = { good: '32', bad: '31', warn: '33', note: '36' };
/** Yellow and cyan cannot be read on white. */
const LIGHT: Palette = { good: '32', bad: '31', warn: '35', note: '34' };
/** Darker than most palettes, with a contrast of at least 4.5 to white. */
const LIGHT_TRUE: Palette = {
  good: '38;2;17;99;41',
  bad: '38;2;179;29;40',
  warn: '38;2;138;70;0',
  note: '38;2;5;80;174',
};

/** Every colour that may be written. */
export const COLORS: readonly string[] = [DARK, LIGHT, LIGHT_TRUE].flatMap((palette) =>
  Object.values(palette),
);

interface Theme {
  background: Background;
  /** The terminal shows any colour, and not only those of its palette. */
  isTrueColor: boolean;
  /** The background was chosen by a person, so that what the terminal says about it does not count. */
  isChosen: boolean;
}

/** The theme of this process: it writes to one terminal. */
let theme: Theme = { background: 'dark', isTrueColor: false, isChosen: false };

/** Begins with what the environment says of the terminal. */
export function startTheme({ COLORTERM, COLORFGBG }: Terminal['env']): void {
  theme = {
    background: backgroundOf(COLORFGBG) ?? 'dark',
    isTrueColor: COLORTERM === 'truecolor' || COLORTERM === '24bit',
    isChosen: false,
  };
}

/** Uses the background that a person chose, in place of what the terminal says. */
export function chooseBackground(background: Background | 'auto' | undefined): void {
  if (background === undefined || background === 'auto') return;
  theme = { ...theme, background, isChosen: true };
}

/** Uses the background that the terminal reports, unless a person chose one. */
export function reportBackground({ r, g, b }: { r: number; g: number; b: number }): void {
  if (theme.isChosen) return;
  theme = { ...theme, background: 0.299 * r + 0.587 * g + 0.114 * b > 127 ? 'light' : 'dark' };
}

export function palette(): Palette {
  if (theme.background === 'dark') return DARK;
  return theme.isTrueColor ? LIGHT_TRUE : LIGHT;
}

/** `COLORFGBG` ends with the number of the background in the terminal's palette, as `15;0` or `0;default;15`. */
function backgroundOf(value: string | undefined): Background | undefined {
  const [, number] = /;(\d{1,2})$/.exec(value ?? '') ?? [];
  if (number === undefined) return undefined;
  return Number(number) === 7 || Number(number) > 8 ? 'light' : 'dark';
}

import { COLORS, type Palette, palette } from './theme.ts';

/** Parameters of the sequences that turn a style on and off. */
const WEIGHTS = {
  dim: ['2', '22'],
  bold: ['1', '22'],
  italic: ['3', '23'],
  underline: ['4', '24'],
} as const;
const COLOR_OFF = '39';

/** The parameters of every sequence of `Paint`. No other one in a text reaches a terminal. */
export const STYLES: readonly string[] = [...Object.values(WEIGHTS).flat(), ...COLORS, COLOR_OFF];

/** Colours text, or returns it unchanged. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  note(text: string): string;
  /** False: text is returned unchanged, so that a sign must carry what a style would. */
  readonly hasStyles: boolean;
}

export function createPaint(colors: boolean): Paint {
  const weight = (name: keyof typeof WEIGHTS) => (text: string) => {
    const [open, close] = WEIGHTS[name];
    return colors ? styled(text, open, close) : text;
  };
  // Read for each text: the terminal may report its background later.
  const color = (name: keyof Palette) => (text: string) =>
    colors ? styled(text, palette()[name], COLOR_OFF) : text;
  return {
    dim: weight('dim'),
    bold: weight('bold'),
    italic: weight('italic'),
    underline: weight('underline'),
    good: color('good'),
    bad: color('bad'),
    warn: color('warn'),
    note: color('note'),
    hasStyles: colors,
  };
}

/** A style that ends inside the text continues after it. */
function styled(text: string, open: string, close: string): string {
  if (text === '') return text;
  const on = `\u001b[${open}m`;
  const off = `\u001b[${close}m`;
  // Bold and dim end with the same sequence.
  const again = close === WEIGHTS.bold[1] ? off + on : on;
  return on + (text.includes(off) ? text.replaceAll(off, again) : text) + off;
}

import { styleText } from 'node:util';

/** The styles of `Paint`. No other control sequence in a text reaches a terminal. */
export const STYLES = {
  dim: 'dim',
  bold: 'bold',
  italic: 'italic',
  underline: 'underline',
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  note: 'cyan',
} as const;

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
}

export function createPaint(colors: boolean): Paint {
  const style = (format: (typeof STYLES)[keyof Paint]) => (text: string) =>
    colors && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    dim: style(STYLES.dim),
    bold: style(STYLES.bold),
    italic: style(STYLES.italic),
    underline: style(STYLES.underline),
    good: style(STYLES.good),
    bad: style(STYLES.bad),
    warn: style(STYLES.warn),
    note: style(STYLES.note),
  };
}

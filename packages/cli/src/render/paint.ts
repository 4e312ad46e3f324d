import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

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
  const style = (format: Style) => (text: string) =>
    colors && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    dim: style('dim'),
    bold: style('bold'),
    italic: style('italic'),
    underline: style('underline'),
    good: style('green'),
    bad: style('red'),
    warn: style('yellow'),
    note: style('cyan'),
  };
}

import type { Language } from './language-names.ts';

/** A piece of a line: its text, and the kind of its colour, such as `keyword`. An empty kind has the colour of text. */
export type Piece = readonly [text: string, kind: string];
export type Line = readonly Piece[];

/** Sent to the worker. */
export interface HighlightRequest {
  id: number;
  code: string;
  language: Language;
}

/** Sent by the worker: the next lines of a request. */
export interface HighlightedLines {
  id: number;
  lines: readonly Line[];
  isLast: boolean;
}

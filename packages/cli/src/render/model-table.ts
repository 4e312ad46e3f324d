import type { KnownModel } from '../compose/known-models.ts';
import { fitLine, formatTokens, printable } from './format.ts';
import { createPaint } from './paint.ts';

export interface ModelTableOptions {
  words: readonly string[];
  colors: boolean;
  /** The date of the list in the catalogue. */
  listDate: string;
}

const COLUMNS = ['window', 'output', '$/M in', '$/M out'] as const;
const NUMBER_WIDTH = 9;

/** Models with their window, longest answer, prices, and what they accept. */
export function modelTable(models: readonly KnownModel[], options: ModelTableOptions): string {
  const paint = createPaint(options.colors);
  if (models.length === 0) {
    return `No model's name contains ${options.words.map((word) => `"${fitLine(word, 40)}"`).join(' and ')}. Try fewer words. A model of your own server needs no entry here: longhaul run --model NAME --base-url URL.\n`;
  }
  // A name is copied to --model, so it is never cut.
  const width = Math.max(...models.map(({ name }) => name.length));
  const head = `${'model'.padEnd(width)}${COLUMNS.map((title) => title.padStart(NUMBER_WIDTH)).join('')}`;
  const lines = models.map((model) => {
    const name = printable(model.name).padEnd(width);
    const numbers = numbersOf(model).map((text) => text.padStart(NUMBER_WIDTH));
    const line = `${model.source === 'server' ? paint.note(name) : name}${numbers.join('')}`;
    const notes = notesOf(model).join(', ');
    return notes === '' ? line : `${line}  ${paint.dim(notes)}`;
  });
  const date = `Windows and prices of hosted models: list of ${options.listDate}.`;
  return `${paint.dim(head)}\n${lines.join('\n')}\n${paint.dim(date)}\n`;
}

function numbersOf({ windowTokens, maxOutputTokens, price }: KnownModel): string[] {
  const tokens = [windowTokens, maxOutputTokens].map((count) =>
    count === undefined ? '' : formatTokens(count),
  );
  const dollars = [price?.input, price?.output].map((cost) => (cost === undefined ? '' : String(cost)));
  return [...tokens, ...dollars];
}

function notesOf({ accepts, reasoning, loaded }: KnownModel): string[] {
  return [
    loaded === true ? 'loaded' : '',
    accepts?.images === true ? 'images' : '',
    accepts?.files === true ? 'files' : '',
    reasoning === true ? 'reasoning' : '',
  ].filter((note) => note !== '');
}

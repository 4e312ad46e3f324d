import { formatTokens } from '../render/format.ts';
import type { ListedModel } from './list-embedded.ts';

/** The models that can run inside Longhaul, with what they need. */
export function embeddedTable(models: readonly ListedModel[]): string {
  const width = Math.max(...models.map(({ name }) => name.length));
  const head = `${'model'.padEnd(width)}${['file', 'memory', 'window'].map((title) => title.padStart(10)).join('')}  licence`;
  const rows = models.map((model) => {
    const numbers = [gigabytes(model.bytes), gigabytes(model.neededBytes), formatTokens(model.windowTokens)];
    const cells = numbers.map((text) => text.padStart(10)).join('');
    return `${model.name.padEnd(width)}${cells}  ${model.licence}  ${notesOf(model).join(', ')}\n`;
  });
  return `${head}\n${rows.join('')}\n${EXPLANATION}`;
}

const EXPLANATION = `memory: with a window of 16k tokens. window: what the model was trained for; the memory allows less.
not verified: Longhaul's developers could not load this file. Its size and licence are from public pages.
longhaul models pull NAME fetches a model, and longhaul run --model embedded:NAME uses it.
`;

function notesOf({ isPulled, fits, isDefault, seen, note }: ListedModel): string[] {
  return [
    ...(isPulled ? ['fetched'] : []),
    ...(isDefault ? ['chosen for this machine'] : fits ? [] : ['does not fit the free memory']),
    seen === 'named' ? 'not verified, size from another publisher' : 'not verified',
    note,
  ];
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

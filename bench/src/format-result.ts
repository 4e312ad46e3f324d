import type { BenchResult } from './bench-result.ts';

/** Formats a result as a table for people, followed by the summary values and the notes. */
export function formatResult({ name, rows, summary, notes = [], broken = [] }: BenchResult): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.values)))];
  const table = [
    ['', ...columns],
    ...rows.map((row) => [row.label, ...columns.map((column) => show(row.values[column]))]),
  ];
  const widths = ['', ...columns].map((_, index) =>
    Math.max(...table.map((line) => line[index]?.length ?? 0)),
  );
  const lines = table.map((line) =>
    line
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  '),
  );
  const judged = Object.entries(summary).map(([key, value]) => `${key} ${show(value)}`);
  return [
    `\n${name}`,
    ...lines,
    `→ ${judged.join(' · ')}`,
    ...notes.map((note) => `  ${note}`),
    ...broken.map((bound) => `✗ ${bound}`),
  ].join('\n');
}

function show(value: number | string | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 2 }) : value;
}

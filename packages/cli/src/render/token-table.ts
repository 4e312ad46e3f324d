import type { ListedToken } from '@longhaul/server';
import { age } from './session-table.ts';

const MINUTE = 60_000;

/** The named tokens of a server: name, scope, age, last use, end. */
export function tokenTable(
  tokens: readonly ListedToken[],
  { now, folder }: { now: number; folder: string },
): string {
  if (tokens.length === 0) return `There are no named tokens in ${folder}.\n`;
  const rows = tokens.map(({ name, scope, createdAt, usedAt, expiresAt, isExpired }) => [
    name,
    scope,
    `made ${ago(now - createdAt)}`,
    usedAt === undefined ? 'never used' : `used ${ago(now - usedAt)}`,
    isExpired
      ? 'expired'
      : expiresAt === undefined
        ? ''
        : `expires in ${expiresAt - now < MINUTE ? 'less than a minute' : age(expiresAt - now)}`,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function ago(ms: number): string {
  return ms < MINUTE ? 'just now' : `${age(ms)} ago`;
}

import { findSessionFiles, loadSession, prepareSession } from '@longhaul/replay';
import type { BenchResult } from './bench-result.ts';
import { delegate } from './children/delegate.ts';
import { type FamilyViews, familyViews } from './children/family-views.ts';
import { formatRow, lengthRow, type SessionShares, sharesOf, windowRow } from './children/rows.ts';
import { exploringStretches } from './children/stretches.ts';

/** The stretches that a child would do. The share of longer and shorter ones is shown for comparison. */
const MIN_STEPS = 5;
const LENGTHS = [3, 5, 10, 20];
const WINDOWS = [16_000, 32_000, 64_000, 200_000];

/**
 * Measures in recorded sessions what the long exploring stretches take of the context, and what they would take if a
 * child session had done each of them and had answered with the next text and all names that were used later.
 */
export async function benchChildren(paths: readonly string[]): Promise<BenchResult> {
  const folder = process.env['LONGHAUL_TRANSCRIPTS'];
  const { files } = await findSessionFiles(paths.length > 0 ? paths : folder === undefined ? [] : [folder]);
  const sessions: SessionShares[] = [];
  const views: FamilyViews[] = [];
  const notes: string[] = [];
  for (const { path } of files) {
    const { messages, format = 'unknown', problem = 'no session' } = await loadSession(path);
    if (messages === undefined) {
      notes.push(`${path}: ${problem}`);
      continue;
    }
    const prepared = prepareSession(messages);
    const family = await delegate(prepared, await exploringStretches(prepared.session.messages, MIN_STEPS));
    sessions.push(await sharesOf(format, { prepared, family, lengths: LENGTHS }));
    for (const windowTokens of WINDOWS) views.push(await familyViews(prepared, family, windowTokens));
  }
  if (sessions.length === 0)
    notes.push('No recorded session found: pass files or folders, or set LONGHAUL_TRANSCRIPTS.');
  return resultOf(sessions, views, notes);
}

function resultOf(sessions: SessionShares[], views: FamilyViews[], notes: string[]): BenchResult {
  const formats = [...new Set(sessions.map(({ format }) => format))].sort();
  const all = formatRow('all', sessions);
  return {
    name: 'children',
    rows: [
      ...formats.map((format) =>
        formatRow(
          format,
          sessions.filter((session) => session.format === format),
        ),
      ),
      all,
      ...LENGTHS.map((steps) => lengthRow(steps, sessions)),
      ...WINDOWS.map((windowTokens) => windowRow(windowTokens, views)),
    ],
    summary: Object.fromEntries(
      Object.entries(all.values).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value]] : [])),
    ),
    notes,
  };
}

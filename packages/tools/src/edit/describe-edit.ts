import type { ToolResult } from '@longhaul/core';
import { cutLine, displayPath, plural, showControls } from '@longhaul/core/tool-output';
import type { JsonObject } from '@longhaul/protocol';
import { textResult } from '../tool-result.ts';
import type { PlacedText } from './place-replacement.ts';
import type { PlannedEdits } from './plan-edits.ts';
import { lineAt, toLineFeeds } from './text-replacer.ts';

const SHOWN_PLACES = 3;
const SHOWN_LINES = 8;
const CONTEXT_LINES = 2;

/** Describes the edits of a file, with the changed lines. */
export function describeEdit(
  path: string,
  {
    places,
    replacements,
    ignoring,
    original,
    change,
  }: PlannedEdits & { original: string; change: JsonObject },
): ToolResult {
  const before = toLineFeeds(original);
  const name = displayPath(path);
  const replaced = replacements === 1 ? '' : ` (${plural(replacements, 'replacement')})`;
  const matched = ignoring.length === 0 ? '' : `, matched ignoring ${ignoring.join(', ')}`;
  const shown = places.length === 0 ? patchLines(change['patch']) : excerpts(before, places);
  return textResult([`Edited ${name}${replaced}${matched}`, ...shown].join('\n'), {
    title: `${name}${replaced}`,
    metadata: { path, replacements, ...(ignoring.length > 0 && { ignored: ignoring }), ...change },
  });
}

/** The lines of a patch, for edits of which one changes what another one wrote. */
function patchLines(patch: JsonObject[string] | undefined): string[] {
  return typeof patch === 'string' ? capped(patch.split('\n'), SHOWN_LINES * 5) : [];
}

function excerpts(before: string, places: readonly PlacedText[]): string[] {
  let addedLines = 0;
  const shown = places.slice(0, SHOWN_PLACES).map((place) => {
    const text = excerpt(before, place, addedLines);
    addedLines += countBreaks(place.text) - countBreaks(before.slice(place.start, place.end));
    return text;
  });
  if (places.length > shown.length) shown.push(`… and ${places.length - shown.length} more`);
  return [shown.join('\n…\n')];
}

/** Shows the changed lines: `-` before, `+` after, with two lines of context and the new line numbers. */
function excerpt(before: string, { start, end, text }: PlacedText, addedLines: number): string {
  const lineStart = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1;
  const nextBreak = before.indexOf('\n', end);
  const lineEnd = nextBreak === -1 ? before.length : nextBreak;
  const oldLines = before.slice(lineStart, lineEnd).split('\n');
  const newLines = (before.slice(lineStart, start) + text + before.slice(end, lineEnd)).split('\n');
  const first = lineAt(before, lineStart) + addedLines;
  const head = linesBefore(before, lineStart);
  const tail = nextBreak === -1 ? [] : linesAfter(before, nextBreak + 1);
  return [
    ...head.map((line, at) => `  ${first - head.length + at}\t${shown(line)}`),
    ...capped(oldLines.map((line) => `- \t${shown(line)}`)),
    ...capped(newLines.map((line, at) => `+ ${first + at}\t${shown(line)}`)),
    ...tail.map((line, at) => `  ${first + newLines.length + at}\t${shown(line)}`),
  ].join('\n');
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1;
}

function shown(line: string): string {
  return cutLine(showControls(line), 200);
}

function linesBefore(text: string, end: number): string[] {
  if (end === 0) return [];
  let start = end - 1;
  for (let count = 0; count < CONTEXT_LINES && start > 0; count += 1)
    start = text.lastIndexOf('\n', start - 1);
  return text
    .slice(start <= 0 ? 0 : start + 1, end - 1)
    .split('\n')
    .slice(-CONTEXT_LINES);
}

function linesAfter(text: string, start: number): string[] {
  if (start >= text.length) return [];
  let end = start - 1;
  for (let count = 0; count < CONTEXT_LINES && end !== -1; count += 1) end = text.indexOf('\n', end + 1);
  // No line follows a file's last line feed.
  const fileEnd = text.endsWith('\n') ? text.length - 1 : text.length;
  return text.slice(start, end === -1 ? fileEnd : end).split('\n');
}

function capped(lines: string[], most = SHOWN_LINES): string[] {
  if (lines.length <= most) return lines;
  const half = most / 2;
  return [...lines.slice(0, half), `  … ${lines.length - most} lines`, ...lines.slice(-half)];
}

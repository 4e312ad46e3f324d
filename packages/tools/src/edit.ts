import type { FileInfo, Tool, ToolResult, WorkspaceFiles } from '@longhaul/core';
import {
  compactSize,
  cutLine,
  displayPath,
  plural,
  readControls,
  showControls,
} from '@longhaul/core/tool-output';
import type { JsonObject } from '@longhaul/protocol';
import { describeMissing } from './describe-missing.ts';
import { describeChange } from './file-patch.ts';
import { parseInput } from './input-parser.ts';
import { describeNearest } from './nearest-text.ts';
import { findMatches, type Replacement, replaceMatches, toLineFeeds } from './text-replacer.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

export interface EditInput {
  path: string;
  old: string;
  new: string;
  all: boolean;
}

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const NAMED_MATCHES = 20;
const SHOWN_PLACES = 3;
const SHOWN_LINES = 8;
const CONTEXT_LINES = 2;

export function createEditTool(): Tool<EditInput> {
  return {
    name: 'edit',
    runsAlone: true,
    schema: {
      name: 'edit',
      description:
        'Replace text in a file. `old` must match exactly, including whitespace, and only once unless `all`: add surrounding lines to make it unique. Omit the line numbers that read shows.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          old: { type: 'string' },
          new: { type: 'string' },
          all: { type: 'boolean', description: 'Replace every match' },
        },
        required: ['path', 'old', 'new'],
      },
    },
    parse: (value) =>
      parseInput(value, (fields) => ({
        path: fields.text('path'),
        old: fields.text('old'),
        new: fields.text('new'),
        all: fields.flag('all'),
      })),
    execute: (input, { sandbox: { files }, signal }) =>
      reportRefusals(async () => {
        const loaded = await loadText(files, input.path);
        if ('refusal' in loaded) return failedResult(loaded.refusal);
        const planned = planEdit(loaded.text, input);
        if ('refusal' in planned) return failedResult(`${displayPath(loaded.path)}: ${planned.refusal}`);
        signal.throwIfAborted();
        await files.write(loaded.path, planned.text);
        const before = toLineFeeds(loaded.text);
        const change = await describeChange(before, toLineFeeds(planned.text));
        return describeEdit(loaded.path, { ...planned, before, change });
      }),
  };
}

/** Loads the file's text unchanged, with byte order mark and line ends, or the reason why it cannot be edited. */
async function loadText(
  files: WorkspaceFiles,
  given: string,
): Promise<{ path: string; text: string } | { refusal: string }> {
  const info = await files.stat(given);
  if (info === undefined)
    return { refusal: `${await describeMissing(files, given)} To create a file, use write.` };
  const path = await files.resolve(given);
  const unfit = whyUnfit(info);
  if (unfit !== undefined) return { refusal: `${displayPath(path)} ${unfit}` };
  const bytes = await files.read(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return { path, text };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  return {
    refusal: `${displayPath(path)} is not a text file in UTF-8. Change it with bash.`,
  };
}

function whyUnfit(info: FileInfo): string | undefined {
  if (info.kind === 'directory') return 'is a folder: give the path of a file.';
  if (info.kind === 'other') return 'is not a regular file.';
  if (info.size > MAX_FILE_BYTES)
    return `is too large for edit (${compactSize(info.size)}). Change it with bash, for example with sed.`;
  return undefined;
}

interface PlannedEdit {
  text: string;
  /** The input as it was matched. */
  input: EditInput;
  matches: readonly Replacement[];
}

function planEdit(original: string, input: EditInput): PlannedEdit | { refusal: string } {
  const old = toLineFeeds(input.old);
  const replacement = toLineFeeds(input.new);
  if (old === '')
    return { refusal: '`old` is empty: give the text to replace, or use write for a whole file.' };
  if (old === replacement) return { refusal: '`old` and `new` are the same: nothing to change.' };
  const text = toLineFeeds(original);
  const matches = findMatches(text, old);
  // The escapes that read shows. They are only read if the text does not have them as they are.
  const [withControls, replacementWithControls] = [readControls(old), readControls(replacement)];
  if (matches.length === 0 && withControls !== old && text.includes(withControls))
    return planEdit(original, { ...input, old: withControls, new: replacementWithControls });
  if (matches.length === 0) {
    return { refusal: `\`old\` was not found. ${describeNearest(text, { old, replacement })}` };
  }
  if (matches.length > 1 && !input.all) return { refusal: describeAmbiguity(matches) };
  return { input, matches, text: replaceMatches(original, matches, { length: old.length, replacement }) };
}

function describeAmbiguity(matches: readonly Replacement[]): string {
  const named = matches.slice(0, NAMED_MATCHES).map((match) => match.line);
  const lines = `${named.join(', ')}${matches.length > named.length ? ', …' : ''}`;
  return `\`old\` matches ${matches.length} times, at lines ${lines}. Add surrounding lines until it is unique, or set all: true.`;
}

function describeEdit(
  path: string,
  { before, matches, input, change }: PlannedEdit & { before: string; change: JsonObject },
): ToolResult {
  const name = displayPath(path);
  const replaced = matches.length === 1 ? '' : ` (${plural(matches.length, 'replacement')})`;
  const places = matches
    .slice(0, SHOWN_PLACES)
    .map((match, index) => excerpt(before, { match, index, input }));
  if (matches.length > places.length) places.push(`… and ${matches.length - places.length} more`);
  return textResult(`Edited ${name}${replaced}\n${places.join('\n…\n')}`, {
    title: `${name}${replaced}`,
    metadata: { path, replacements: matches.length, ...change },
  });
}

/** Shows the changed lines: `-` before, `+` after, with two lines of context and the new line numbers. */
function excerpt(
  before: string,
  { match, index, input }: { match: Replacement; index: number; input: EditInput },
): string {
  const [old, replacement] = [toLineFeeds(input.old), toLineFeeds(input.new)];
  const end = match.start + old.length;
  const lineStart = match.start === 0 ? 0 : before.lastIndexOf('\n', match.start - 1) + 1;
  const nextBreak = before.indexOf('\n', end);
  const lineEnd = nextBreak === -1 ? before.length : nextBreak;
  const oldLines = before.slice(lineStart, lineEnd).split('\n');
  const newLines = (before.slice(lineStart, match.start) + replacement + before.slice(end, lineEnd)).split(
    '\n',
  );
  const addedBefore = index * (replacement.split('\n').length - old.split('\n').length);
  const first = match.line + addedBefore;
  const head = linesBefore(before, lineStart);
  const tail = nextBreak === -1 ? [] : linesAfter(before, nextBreak + 1);
  return [
    ...head.map((line, at) => `  ${first - head.length + at}\t${shown(line)}`),
    ...capped(oldLines.map((line) => `- \t${shown(line)}`)),
    ...capped(newLines.map((line, at) => `+ ${first + at}\t${shown(line)}`)),
    ...tail.map((line, at) => `  ${first + newLines.length + at}\t${shown(line)}`),
  ].join('\n');
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

function capped(lines: string[]): string[] {
  if (lines.length <= SHOWN_LINES) return lines;
  const half = SHOWN_LINES / 2;
  return [...lines.slice(0, half), `  … ${lines.length - SHOWN_LINES} lines`, ...lines.slice(-half)];
}

import type { RevertOptions, RevertResult } from '@longhaul/core';
import { REVERT_FLAGS, UNREVERT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { fileChangeLines, shownName } from '../render/file-change-lines.ts';
import { plural, shortId } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { withSession } from '../session/with-session.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

/** Files that the answer lists of each kind. */
const MAX_LISTED = 20;

/** `longhaul revert`: restores the files and the conversation as they were before a message. */
export async function revert(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'revert', REVERT_FLAGS);
  const [id, target, ...others] = positionals;
  if (id === undefined || target === undefined || others.length > 0)
    throw usage('Name a session and a message: longhaul revert ID HANDLE.', 'revert');
  if (values.files && values.conversation)
    throw usage('Use --files or --conversation, or neither of them for both.', 'revert');
  const only: RevertOptions['only'] = values.files
    ? 'files'
    : values.conversation
      ? 'conversation'
      : undefined;
  const moving = movingOptions(values, 'revert');
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['revert', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.files.revert(session.id, target, { only, ...moving });
      return report(result, {
        ...moving,
        terminal,
        json: values.json,
        command: 'revert',
        id: shortId(session.id),
      });
    },
  );
}

/** `longhaul unrevert`: takes the newest revert of a session back. */
export async function unrevert(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'unrevert', UNREVERT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul unrevert ID.', 'unrevert');
  const moving = movingOptions(values, 'unrevert');
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['unrevert', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.files.unrevert(session.id, moving);
      return report(result, {
        ...moving,
        terminal,
        json: values.json,
        command: 'unrevert',
        id: shortId(session.id),
      });
    },
  );
}

function movingOptions(
  { preview = false, force = false, keep = false }: { preview?: boolean; force?: boolean; keep?: boolean },
  command: ReportOptions['command'],
) {
  if (force && keep) throw usage('Use --keep or --force, not both.', command);
  return { preview, force, keep };
}

interface ReportOptions {
  terminal: Terminal;
  json: boolean | undefined;
  keep: boolean;
  command: 'revert' | 'unrevert';
  id: string;
}

function report(result: RevertResult, { terminal, json, keep, command, id }: ReportOptions): number {
  const isBlocked = result.status === 'blocked';
  const paint = createPaint(wantsColors(terminal, undefined));
  const text = json ? `${JSON.stringify(result)}\n` : revertText(result, { keep, command, id, paint });
  (isBlocked && !json ? terminal.err : terminal.out).write(text);
  return isBlocked ? 1 : 0;
}

function revertText(
  { status, handle, conversation, hides, files, more, skipped, conflicts, withoutFiles }: RevertResult,
  { keep, command, id, paint }: Pick<ReportOptions, 'keep' | 'command' | 'id'> & { paint: Paint },
): string {
  if (status === 'blocked') {
    const list = listed(conflicts.map(shownName));
    return `Nothing was done: somebody else changed ${plural(conflicts.length, 'file')} that would be restored or deleted:\n${list}To leave ${conflicts.length === 1 ? 'it' : 'these'} and restore the other files, add --keep. To restore all, add --force.\nThe present files are recorded, so longhaul unrevert brings them back.\n`;
  }
  if (status === 'unchanged') return 'Nothing to do: files and conversation are already in that state.\n';
  const isPreview = status === 'preview';
  const lines = [
    withoutFiles
      ? 'No files were recorded before this message, so none were restored.\n'
      : fileChangeLines({ files, more }, { paint, limit: MAX_LISTED }),
  ];
  if (skipped.length > 0)
    lines.push(
      `Left as ${skipped.length === 1 ? 'it is' : 'they are'}:\n`,
      listed(skipped.map(({ path, reason }) => `${shownName(path)}: ${reason}`)),
    );
  if (conflicts.length > 0 && (isPreview || keep)) {
    const hint = keep ? 'left as it is' : '--keep leaves it, --force restores it too';
    lines.push(`Changed by somebody else (${hint}):\n`, listed(conflicts.map(shownName)));
  }
  if (conversation && command === 'revert')
    lines.push(
      `The conversation ${isPreview ? 'would continue' : 'continues'} before ${handle}; ${plural(hides, 'later message')} ${isPreview ? 'would be' : hides === 1 ? 'is' : 'are'} hidden, not deleted.\n`,
    );
  if (conversation && command === 'unrevert')
    lines.push(`The hidden messages ${isPreview ? 'would be' : 'are'} part of the conversation again.\n`);
  if (isPreview) lines.push('This is a preview: nothing was changed.\n');
  else if (command === 'revert') lines.push(`To take this back: longhaul unrevert ${id}\n`);
  return lines.join('');
}

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${line}\n`);
  const rest = lines.length - shown.length;
  return shown.join('') + (rest > 0 ? `  … and ${rest} more\n` : '');
}

import type { RevertOptions, RevertResult, Runtime } from '@longhaul/core';
import { REVERT_FLAGS, UNREVERT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { shortId } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { paintedDiff } from '../render/painted-diff.ts';
import { revertText, unblockText } from '../render/revert-text.ts';
import { withSession } from '../session/with-session.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

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
    { values, terminal, access: values.preview ? 'read' : 'change', typed: ['revert', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.files.revert(session.id, target, { only, ...moving });
      return await report(result, {
        ...moving,
        files: runtime.files,
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
    { values, terminal, access: values.preview ? 'read' : 'change', typed: ['unrevert', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.files.unrevert(session.id, moving);
      return await report(result, {
        ...moving,
        files: runtime.files,
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
  files: Runtime['files'];
  terminal: Terminal;
  json: boolean | undefined;
  keep: boolean;
  force: boolean;
  command: 'revert' | 'unrevert';
  id: string;
}

/** Prints what was done. A preview begins with the difference, so that its summary stays on the screen. */
async function report(result: RevertResult, options: ReportOptions): Promise<number> {
  const { files, terminal, json, keep, force, command, id } = options;
  const isBlocked = result.status === 'blocked';
  const takeBack = `longhaul unrevert ${id}`;
  const others = keep ? 'keep' : force ? 'force' : undefined;
  const paint = createPaint(wantsColors(terminal, undefined));
  const text = revertText(result, { command, others, takeBack, paint });
  const hint = isBlocked ? unblockText(result, { command, takeBack }) : '';
  if (!json) await printDiff(files.revertDiff(result, { keep }), { out: terminal.out, paint });
  (isBlocked && !json ? terminal.err : terminal.out).write(
    json ? `${JSON.stringify(result)}\n` : `${text}${hint}`,
  );
  return isBlocked ? 1 : 0;
}

async function printDiff(
  diff: AsyncIterable<string>,
  { out, paint }: { out: Terminal['out']; paint: Paint },
): Promise<void> {
  let isEmpty = true;
  for await (const piece of diff) {
    isEmpty = false;
    out.write(paintedDiff(piece, paint));
  }
  if (!isEmpty) out.write('\n');
}

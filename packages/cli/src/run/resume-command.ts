import { resolve } from 'node:path';
import { shellWords } from '../command-line/shell-words.ts';
import type { Place, Settings } from '../compose/load-settings.ts';
import { shortId } from '../render/format.ts';
import { isOfScope, scopeOf } from '../session/workspace-scope.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Returns what makes the command that resumes a session of this run, to be pasted into the folder where this one was
 * typed.
 */
export async function resumeCommand(
  { place, terminal, resumeFlags }: { place: Place; terminal: Terminal; resumeFlags: readonly string[] },
  { settings, workspace = settings.workspace }: { settings: Settings; workspace: string | undefined },
): Promise<(sessionId: string) => string> {
  const config = place.config === undefined ? [] : ['--config', resolve(terminal.cwd, place.config)];
  const isElsewhere = place.cwd !== undefined && settings.workspace !== terminal.cwd;
  const folder = isElsewhere ? ['-C', settings.workspace] : [];
  const scope = await scopeOf(settings.workspace, settings.home);
  const all = (await isOfScope({ workspace }, scope, settings.home)) ? [] : ['--all'];
  const flags = [...folder, ...all, ...config, ...resumeFlags];
  return (sessionId) => shellWords(['longhaul', 'resume', shortId(sessionId), ...flags]);
}

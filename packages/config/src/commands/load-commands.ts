import { realpath } from 'node:fs/promises';
import { NOT_TRUSTED } from '../trust/not-trusted.ts';
import type { WorkspacePlace } from '../workspace-place.ts';
import { type FoundCommand, findProjectCommands, findUserCommands } from './find-commands.ts';
import { type ParsedCommand, parseCommand } from './parse-command.ts';

/** A command that a person wrote: a Markdown file that is sent as a message. */
export interface OwnCommand extends ParsedCommand {
  name: string;
  origin: 'project' | 'user';
}

/** A file that is not a usable command, for people. */
export interface CommandProblem {
  name: string;
  path: string;
  problem: string;
}

export interface LoadedCommands {
  commands: OwnCommand[];
  problems: CommandProblem[];
}

/**
 * Loads the commands of a workspace that are trusted, and the user's own. A command of the workspace replaces the
 * user's command with its name.
 *
 * @param trusted Returns the ids of what is trusted in the workspace. Called if it has commands.
 */
export async function loadCommands(
  place: WorkspacePlace,
  trusted: () => Promise<ReadonlySet<string>>,
): Promise<LoadedCommands> {
  const [project, own] = await Promise.all([findProjectCommands(place), findUserCommands(place)]);
  const isTrusted = project.length === 0 ? () => true : await trustIn(place, await trusted());
  const commands = new Map<string, OwnCommand>();
  const problems: CommandProblem[] = [];
  for (const found of [...project, ...own]) {
    const { name, path, origin } = found;
    if (commands.has(name)) continue;
    const parsed = parsedOf(found, isTrusted);
    if ('problem' in parsed) problems.push({ name, path, problem: parsed.problem });
    else commands.set(name, { ...parsed, name, origin });
  }
  return { commands: [...commands.values()], problems };
}

async function trustIn({ workspace }: WorkspacePlace, ids: ReadonlySet<string>) {
  const [root, { commandWant }] = await Promise.all([realpath(workspace), import('./command-want.ts')]);
  return (found: FoundCommand): boolean => found.origin === 'user' || ids.has(commandWant(found, root).id);
}

function parsedOf(found: FoundCommand, isTrusted: (found: FoundCommand) => boolean) {
  const { file, name } = found;
  if ('problem' in file) return file;
  const parsed = parseCommand(file.bytes, name);
  return 'problem' in parsed || isTrusted(found) ? parsed : { problem: NOT_TRUSTED };
}

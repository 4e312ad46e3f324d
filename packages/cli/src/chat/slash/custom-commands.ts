import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { Settings } from '../../compose/load-settings.ts';
import type { SlashCommand } from './slash-command.ts';

/** There is no such folder, or it is not for this user. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);
const MAX_COMMANDS = 200;
const MAX_BYTES = 64 * 1024;
const NAME = /^[a-z][\w-]*$/i;

/** A command that a person wrote. */
export interface CustomCommand {
  name: string;
  hint: string;
  description: string;
  /** Returns the message that it sends. @throws {LonghaulError} `usage` if it takes no words. */
  expand: (words: string) => string;
}

/** Returns the folders of such commands. Those of the project come first. */
export function commandFolders({ workspace, home, config }: Settings): string[] {
  const names = config.compat.claude ? ['.longhaul/commands', '.claude/commands'] : ['.longhaul/commands'];
  return [...names.map((name) => join(workspace, name)), join(home, '.config', 'longhaul', 'commands')];
}

export function toSlashCommand({ name, hint, description, expand }: CustomCommand): SlashCommand {
  return { name, hint, description, run: async (words, { send }) => await send(expand(words)) };
}

/**
 * Reads the commands that a person wrote: one Markdown file each, whose text is sent with `$ARGUMENTS` replaced by the
 * words after the name. Of commands with one name, the first folder's counts.
 */
export async function readCustomCommands(folders: readonly string[]): Promise<CustomCommand[]> {
  const found = new Map<string, CustomCommand>();
  for (const folder of folders) {
    for (const name of await namesIn(folder)) {
      if (found.has(name) || found.size >= MAX_COMMANDS) continue;
      found.set(name, await readCommand(join(folder, `${name}.md`), name));
    }
  }
  return [...found.values()];
}

/** A file that cannot be used is a command that says why: a chat opens without it. */
async function readCommand(path: string, name: string): Promise<CustomCommand> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES)
      throw new LonghaulError(
        'usage',
        `The file has ${size} bytes. A command can have at most ${MAX_BYTES}.`,
      );
    return toCommand(name, await readFile(path, 'utf8'));
  } catch (error) {
    const { message } = toLonghaulError(error);
    return {
      name,
      hint: '',
      description: `cannot be used: ${message}`,
      expand: () => {
        throw new LonghaulError('usage', `/${name} cannot be used: ${path}: ${message}`);
      },
    };
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map(({ name }) => name.slice(0, -'.md'.length))
      .filter((name) => NAME.test(name))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return [];
    throw error;
  }
}

function toCommand(name: string, text: string): CustomCommand {
  const { body, facts } = withoutFrontMatter(text);
  const takesWords = body.includes('$ARGUMENTS');
  return {
    name,
    hint: facts.get('argument-hint') ?? (takesWords ? 'WORDS' : ''),
    description: facts.get('description') ?? (body.trim().split('\n')[0] ?? '').slice(0, 80),
    expand(words) {
      if (words !== '' && !takesWords)
        throw new LonghaulError('usage', `/${name} takes no words: its file has no $ARGUMENTS.`);
      return body.replaceAll('$ARGUMENTS', () => words).trim();
    },
  };
}

/** Reads `name: value` lines between two lines `---` at the beginning. */
function withoutFrontMatter(text: string): { body: string; facts: Map<string, string> } {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text);
  if (match === null) return { body: text, facts: new Map() };
  const facts = (match[1] ?? '').split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value.replace(/^["']|["']$/g, '')]];
  });
  return { body: text.slice(match[0].length), facts: new Map(facts) };
}

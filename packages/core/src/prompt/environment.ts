import { createHash } from 'node:crypto';
import type { Sandbox, SandboxRules, Skill } from '../ports/index.ts';
import { plural } from '../tool-output/display.ts';
import { type GitFacts, readGitFacts } from './git-facts.ts';
import { cutInstructions, type InstructionFile, readInstructionFiles } from './instruction-files.ts';
import { instructionText, quoted } from './project-text.ts';
import { skillList } from './skill-list.ts';

/** Where a session works. The system text has what it began with. */
export interface Environment {
  /** Path of the workspace inside the sandbox. */
  workspacePath: string;
  /** Description of the sandbox, such as `bubblewrap, network on`. */
  sandbox: string;
  /** Operating system and shell of the commands. Absent in sessions of earlier versions. */
  platform?: string | undefined;
  /** What holds in the sandbox. Absent in sessions of earlier versions. */
  rules?: SandboxRules | undefined;
  git?: GitFacts | undefined;
  instructions: readonly InstructionFile[];
  /** The skills that the model can read. */
  skills?: readonly Pick<Skill, 'name' | 'description'>[] | undefined;
  /** Folders of the workspace in which the session has worked. Their instruction files are among `instructions`. */
  folders?: readonly string[] | undefined;
}

/** One fact of an environment. */
export interface Fact {
  key: string;
  /** Differs if the fact has changed. */
  value: string;
  /** In the system text. */
  text: string;
  /** In a message after the history, if the fact has changed. */
  news: string;
}

export type EnvironmentSandbox = Pick<
  Sandbox,
  'workspacePath' | 'description' | 'platform' | 'rules' | 'files'
>;

/**
 * Reads the current environment. Runs no program of the workspace.
 *
 * @param outside Reads instruction files that the sandbox does not have. They precede those of the workspace.
 */
export async function readEnvironment(
  { workspacePath, description, platform, rules, files }: EnvironmentSandbox,
  instructionFiles: readonly string[],
  outside: () => Promise<readonly InstructionFile[]> = async () => [],
): Promise<Environment> {
  const [others, own, git] = await Promise.all([
    outside(),
    readInstructionFiles(files, instructionFiles),
    readGitFacts(files),
  ]);
  return {
    workspacePath,
    sandbox: description,
    platform,
    rules,
    git,
    instructions: [...others, ...own],
  };
}

/**
 * Returns the facts of an environment in the order of the system text.
 *
 * @param options.date The day, `YYYY-MM-DD`.
 * @param options.maxChars Maximum characters of an instruction file.
 */
export function factsOf(
  { workspacePath, sandbox, platform, rules, git, instructions, skills = [] }: Environment,
  { date, maxChars }: { date: string; maxChars?: number | undefined },
): Fact[] {
  const reach = rules === undefined ? '' : `; ${rules.files}`;
  const workspace = `Workspace: ${quoted(workspacePath)} (paths are relative to it${reach})`;
  const life = rules === undefined ? '' : `; ${rules.processes}`;
  return [
    plainFact('workspace', workspace),
    plainFact('sandbox', `Sandbox: ${sandbox}${life}`),
    ...(platform === undefined ? [] : [plainFact('platform', `Platform: ${platform}`)]),
    ...(git === undefined ? [] : [plainFact('git', gitText(git))]),
    {
      key: 'date',
      value: date,
      text: `Date: ${date} (when this session began)`,
      news: `The date is now ${date}.`,
    },
    ...(skills.length === 0 ? [] : [skillFact(skills, maxChars)]),
    ...cutInstructions(instructions, maxChars).map((file, index) => ({
      key: `${file.origin === 'user' ? 'user-file' : 'file'} ${file.path}`,
      value: hashOf(instructions[index]?.text ?? ''),
      text: instructionText(file),
      news: `This file is new or has changed. ${instructionText(file)}`,
    })),
  ];
}

/** Whether a fact is a text of its own, not a line. */
export function isText({ key }: Fact): boolean {
  return /^(?:skills$|(?:user-)?file )/.test(key);
}

/** Returns the sentence about a fact that is no longer true. */
export function goneText(key: string): string | undefined {
  if (key === 'skills') return 'There are no longer any skills.';
  if (key === 'git') return 'The workspace is no longer a git repository.';
  const [, isUsers, path] = /^(user-)?file (.*)$/s.exec(key) ?? [];
  if (path === undefined) return undefined;
  return `The ${isUsers === undefined ? 'project' : 'user'}'s ${quoted(path)} was deleted.`;
}

function skillFact(
  skills: readonly Pick<Skill, 'name' | 'description'>[],
  maxChars: number | undefined,
): Fact {
  const text = skillList(skills, maxChars);
  return {
    key: 'skills',
    value: hashOf(JSON.stringify(skills)),
    text,
    news: `The skills have changed. ${text}`,
  };
}

function plainFact(key: string, text: string): Fact {
  return { key, value: text, text, news: text };
}

function gitText({ head, changedFiles, isPartial }: GitFacts): string {
  const least = isPartial ? 'at least ' : '';
  const changes =
    changedFiles === undefined
      ? ''
      : `, ${least}${plural(changedFiles, 'tracked file')} with unstaged changes`;
  return `Git: ${quoted(head)}${changes}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

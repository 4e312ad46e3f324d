import { posix } from 'node:path';
import type { JsonValue } from '@longhaul/protocol';
import { createPathMatcher } from '@longhaul/tools';
import { type CommandPiece, commandPieces } from './command-pieces.ts';
import { matchesPattern } from './text-pattern.ts';

export type ApprovalAction = 'allow' | 'ask' | 'deny';

export interface ApprovalRule {
  /** A tool's name, or a pattern with `*`. */
  tool: string;
  /** A pattern for commands: `*` stands for any text; one that ends in ` *` matches the bare command too. */
  command?: string;
  /** A glob for the path that the call names, from the workspace. Without a slash it is held against the last name. */
  path?: string;
  action: ApprovalAction;
}

export interface JudgedCall {
  toolName: string;
  input: JsonValue;
  /** As commands see it: absolute paths in it are taken as relative to it. */
  workspacePath: string;
  /** The path from the workspace with links followed; rejects for one that leads out. Absent: links are not known of. */
  realPath?: (path: string) => Promise<string>;
}

export interface Judgement {
  action: ApprovalAction;
  /** The rule that decided; absent: the default did. */
  rule?: ApprovalRule;
  /** What is asked for, to remember an answer for the session: the simple commands as they are written, or the tool's name alone. */
  subjects: string[];
}

export type Judge = (call: JudgedCall, fallback: ApprovalAction) => Promise<Judgement>;

/**
 * Decides calls by rules; the last that matches wins. A shell line is taken apart into its simple commands, and the strictest decision
 * on any of them holds for the whole: `allow` needs all of them allowed.
 */
export function createJudge(rules: readonly ApprovalRule[]): Judge {
  const compiled = Promise.all(rules.map(compile));
  // A pattern that cannot be read is told where it is used.
  compiled.catch(() => undefined);
  return async (call, fallback) => {
    const matchers = await compiled;
    const command = textField(call.input, 'command');
    const pieces = command === undefined ? undefined : commandPieces(command);
    const paths = await pathsOf(call);
    const decisions = (pieces ?? [undefined]).map((piece) => {
      const rule = matchers.findLast((matches) => matches({ toolName: call.toolName, piece, paths }))?.rule;
      return { action: rule?.action ?? fallback, rule, subject: piece?.source ?? call.toolName };
    });
    const strictest = decisions.reduce((left, right) =>
      RANK[right.action] > RANK[left.action] ? right : left,
    );
    return {
      action: strictest.action,
      rule: strictest.rule,
      subjects: decisions.filter(({ action }) => action === 'ask').map(({ subject }) => subject),
    };
  };
}

/** What an approval of the call covers: its simple commands, or the tool as a whole. */
export function subjectsOf({ toolName, input }: JudgedCall): string[] {
  const command = textField(input, 'command');
  return command === undefined ? [toolName] : commandPieces(command).map(({ source }) => source);
}

const RANK: Readonly<Record<ApprovalAction, number>> = { allow: 0, ask: 1, deny: 2 };

interface Facts {
  toolName: string;
  piece: CommandPiece | undefined;
  /** As the call names it, and where it leads. */
  paths: { named: string; real: string } | undefined;
}

type Matcher = ((facts: Facts) => boolean) & { rule: ApprovalRule };

async function compile(rule: ApprovalRule): Promise<Matcher> {
  const path = rule.path === undefined ? undefined : await createPathMatcher(rule.path);
  const matches = (facts: Facts): boolean =>
    matchesPattern(rule.tool, facts.toolName) &&
    (path === undefined || (facts.paths !== undefined && pathMatches(rule, path, facts.paths))) &&
    (rule.command === undefined || (facts.piece !== undefined && commandMatches(rule, facts.piece)));
  return Object.assign(matches, { rule });
}

/** A rule that allows must be sure of what it allows; one that restricts is generous in what it recognises. */
function commandMatches({ command = '', action }: ApprovalRule, piece: CommandPiece): boolean {
  if (action !== 'allow') {
    if (piece.readings.some((reading) => matchesCommand(command, reading))) return true;
    return !piece.isCertain && matchesPattern(`*${command.replace(/ \*$/, '')}*`, piece.text);
  }
  if (!piece.isCertain || (piece.writesFiles && !command.includes('>'))) return false;
  return matchesCommand(command, piece.text);
}

/** `npm test *` matches the bare command too. */
function matchesCommand(pattern: string, text: string): boolean {
  const isBare = pattern.endsWith(' *') && matchesPattern(pattern.slice(0, -2), text);
  return isBare || matchesPattern(pattern, text);
}

/** A rule that allows looks at where a path leads; one that restricts at its name too. */
function pathMatches(
  { action }: ApprovalRule,
  matches: (path: string) => boolean,
  { named, real }: { named: string; real: string },
): boolean {
  return matches(real) || (action !== 'allow' && matches(named));
}

async function pathsOf({ input, workspacePath, realPath }: JudgedCall): Promise<Facts['paths']> {
  const path = textField(input, 'path');
  if (path === undefined) return undefined;
  const whole = posix.resolve(workspacePath, path);
  const inside = posix.relative(workspacePath, whole);
  const named = inside === '..' || inside.startsWith('../') ? whole : inside;
  // What leads out of the workspace, or cannot be found out, is the tool's to refuse.
  const real = await realPath?.(path).catch(() => named);
  return { named, real: real ?? named };
}

function textField(input: JsonValue, name: string): string | undefined {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const value = isObject ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

import { posix } from 'node:path';
import { type JsonValue, LonghaulError, matchesPattern, toLonghaulError } from '@longhaul/protocol';
import { createPathMatcher } from '@longhaul/tools';
import { type CommandPiece, commandPieces, type ShellParser } from './command-pieces.ts';

export type ApprovalAction = 'allow' | 'ask' | 'deny';

export interface ApprovalRule {
  /** A tool's name, or a pattern with `*`. */
  tool: string;
  /**
   * A pattern for commands. `*` matches any text; a pattern that ends in ` *` also matches the command without
   * arguments.
   */
  command?: string;
  /** A glob for the call's path, relative to the workspace. A glob without a slash is matched against the file name. */
  path?: string;
  action: ApprovalAction;
}

export interface JudgedCall {
  toolName: string;
  input: JsonValue;
  /** The workspace as commands see it. Absolute paths below it count as relative to it. */
  workspacePath: string;
  /**
   * Resolves links and returns the path relative to the workspace. Rejects if the path leads out. If absent, links are
   * not resolved.
   */
  realPath?: (path: string) => Promise<string>;
}

export interface Judgement {
  action: ApprovalAction;
  /** The rule that decided. Absent if none matched. */
  rule?: ApprovalRule;
  /**
   * What an approval covers, used to remember the answer for the session: the simple commands as written, or the
   * tool.
   */
  subjects: string[];
}

export type Judge = (call: JudgedCall, fallback: ApprovalAction) => Promise<Judgement>;

/**
 * Creates a judge of calls by rules. The last matching rule wins. A shell line is split into its simple commands, and
 * the strictest decision on any of them applies to the whole line: `allow` requires that all of them are allowed.
 *
 * @param parse Default: `parseShellLine`. Benchmarks compare it with other parsers.
 * @throws {LonghaulError} `config_invalid` for an invalid path glob.
 */
export function createJudge(rules: readonly ApprovalRule[], parse?: ShellParser): Judge {
  const matchers = rules.map(compile);
  return async (call, fallback) => {
    const command = textField(call.input, 'command');
    const pieces = command === undefined ? undefined : commandPieces(command, parse);
    const paths = await pathsOf(call);
    const decisions = (pieces ?? [undefined]).map((piece) => {
      const rule = matchers.findLast((matches) => matches({ toolName: call.toolName, piece, paths }))?.rule;
      return { action: rule?.action ?? fallback, rule, subject: piece?.source ?? wholeTool(call.toolName) };
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

/** Returns what an approval of the call covers: its simple commands, or the tool's name. */
export function subjectsOf({ toolName, input }: JudgedCall): string[] {
  const command = textField(input, 'command');
  return command === undefined ? [wholeTool(toolName)] : commandPieces(command).map(({ source }) => source);
}

/** An approval of a tool without commands. No command can have this text. */
function wholeTool(toolName: string): string {
  return `${toolName}\0`;
}

const RANK: Readonly<Record<ApprovalAction, number>> = { allow: 0, ask: 1, deny: 2 };

interface Facts {
  toolName: string;
  piece: CommandPiece | undefined;
  /** The path as the call names it, and the path it resolves to. */
  paths: { named: string; real: string } | undefined;
}

type Matcher = ((facts: Facts) => boolean) & { rule: ApprovalRule };

function compile(rule: ApprovalRule): Matcher {
  const path = rule.path === undefined ? undefined : compilePath(rule.path);
  const matches = (facts: Facts): boolean =>
    matchesPattern(rule.tool, facts.toolName) &&
    (path === undefined || (facts.paths !== undefined && pathMatches(rule, path, facts.paths))) &&
    (rule.command === undefined || (facts.piece !== undefined && commandMatches(rule, facts.piece)));
  return Object.assign(matches, { rule });
}

function compilePath(path: string): (path: string) => boolean {
  try {
    return createPathMatcher(path);
  } catch (error) {
    throw new LonghaulError('config_invalid', `approvals: path "${path}": ${toLonghaulError(error).message}`);
  }
}

/**
 * Whether a rule's pattern matches a command. A rule that allows matches only if the parser is certain what runs. A
 * rule that restricts matches every way to read the command.
 */
function commandMatches({ command = '', action }: ApprovalRule, piece: CommandPiece): boolean {
  if (action !== 'allow') {
    if (piece.readings.some((reading) => matchesCommand(command, reading))) return true;
    return !piece.isCertain && matchesPattern(`*${command.replace(/ \*$/, '')}*`, piece.text);
  }
  if (!piece.isCertain || (piece.writesFiles && !command.includes('>'))) return false;
  return matchesCommand(command, piece.text);
}

/** `npm test *` also matches `npm test`. */
function matchesCommand(pattern: string, text: string): boolean {
  const isBare = pattern.endsWith(' *') && matchesPattern(pattern.slice(0, -2), text);
  return isBare || matchesPattern(pattern, text);
}

/** A rule that allows matches only the resolved path. A rule that restricts also matches the path as named. */
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
  // The tool refuses a path that leads out of the workspace or cannot be resolved.
  const real = await realPath?.(path).catch(() => named);
  return { named, real: real ?? named };
}

function textField(input: JsonValue, name: string): string | undefined {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const value = isObject ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

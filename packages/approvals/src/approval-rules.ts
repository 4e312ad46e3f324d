import { posix } from 'node:path';
import { isObject, type JsonValue, LonghaulError, matchesPattern, toLonghaulError } from '@longhaul/protocol';
import {
  commandsAfterPatches,
  createPathMatcher,
  type FileAct,
  fileActsOf,
  quoteWord,
} from '@longhaul/tools';
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
    const pieces = piecesOf(call, parse);
    const acts = await actsOf(call);
    const path = textField(call.input, 'path');
    const paths = path === undefined ? undefined : await pathsOf(path, call);
    const judged: { facts: Facts; subject: string }[] = [
      ...(pieces ?? (acts.length > 0 ? [] : [undefined])).map((piece) => ({
        facts: { toolName: call.toolName, piece, paths },
        subject: piece?.source ?? wholeTool(call.toolName),
      })),
      ...acts.map((act) => ({ facts: act, subject: wholeTool(`${PATCH_TOOL} ${act.kind}`) })),
    ];
    const decisions = judged.map(({ facts, subject }) => {
      const rule = matchers.findLast((matches) => matches(facts))?.rule;
      return { action: rule?.action ?? fallback, rule, subject };
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
export function subjectsOf(call: JudgedCall): string[] {
  const pieces = piecesOf(call);
  const acts = fileActsOf(call.toolName, call.input).map(({ kind }) => wholeTool(`${PATCH_TOOL} ${kind}`));
  if (pieces === undefined && acts.length === 0) return [wholeTool(call.toolName)];
  return [...(pieces ?? []).map(({ source }) => source), ...acts];
}

/** The commands of a call. Those after a typed patch are read a second time alone, because the tool runs them alone. */
function piecesOf({ input }: JudgedCall, parse?: ShellParser): CommandPiece[] | undefined {
  const command = textField(input, 'command');
  if (command === undefined) return undefined;
  const after = commandsAfterPatches(command);
  return [...commandPieces(command, parse), ...(after === '' ? [] : commandPieces(after, parse))];
}

const PATCH_TOOL = 'apply_patch';

/** What a patch does to one file is judged as a patch, and as the tools that could do the same. */
interface ActFacts extends Facts {
  kind: FileAct['kind'];
}

async function actsOf(call: JudgedCall): Promise<ActFacts[]> {
  const acts = fileActsOf(call.toolName, call.input);
  return Promise.all(
    acts.map(async ({ path, kind }) => ({
      toolName: PATCH_TOOL,
      kind,
      piece: undefined,
      paths: await pathsOf(path, call),
      ...ALIKE[kind](path),
    })),
  );
}

/** A rule for `edit` or `write` decides on a patch too. No rule for them can allow to delete a file. */
const ALIKE: Readonly<
  Record<FileAct['kind'], (path: string) => Pick<Facts, 'alsoNames' | 'alsoRestrictedBy'>>
> = {
  add: () => ({ alsoNames: ['write'] }),
  update: () => ({ alsoNames: ['edit'] }),
  delete: (path) => ({
    alsoRestrictedBy: [
      { toolName: 'edit', piece: undefined },
      { toolName: 'write', piece: undefined },
      ...commandPieces(`rm ${quoteWord(path)}`).map((piece) => ({ toolName: 'bash', piece })),
    ],
  }),
};

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
  /** Other tools whose rules apply. */
  alsoNames?: readonly string[];
  /** Other readings of the call, for rules that restrict. */
  alsoRestrictedBy?: readonly Pick<Facts, 'toolName' | 'piece'>[];
}

type Matcher = ((facts: Facts) => boolean) & { rule: ApprovalRule };

function compile(rule: ApprovalRule): Matcher {
  const path = rule.path === undefined ? undefined : compilePath(rule.path);
  const matchesCall = ({ toolName, piece }: Pick<Facts, 'toolName' | 'piece'>): boolean =>
    matchesPattern(rule.tool, toolName) &&
    (rule.command === undefined || (piece !== undefined && commandMatches(rule, piece)));
  const matches = (facts: Facts): boolean => {
    const { piece, alsoNames = [], alsoRestrictedBy = [] } = facts;
    const readings = [
      facts,
      ...alsoNames.map((toolName) => ({ toolName, piece })),
      ...(rule.action === 'allow' ? [] : alsoRestrictedBy),
    ];
    return (
      readings.some(matchesCall) &&
      (path === undefined || (facts.paths !== undefined && pathMatches(rule, path, facts.paths)))
    );
  };
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

async function pathsOf(
  path: string,
  { workspacePath, realPath }: JudgedCall,
): Promise<NonNullable<Facts['paths']>> {
  const whole = posix.resolve(workspacePath, path);
  const inside = posix.relative(workspacePath, whole);
  const named = inside === '..' || inside.startsWith('../') ? whole : inside;
  // The tool refuses a path that leads out of the workspace or cannot be resolved.
  const real = await realPath?.(path).catch(() => named);
  return { named, real: real ?? named };
}

function textField(input: JsonValue, name: string): string | undefined {
  const value = isObject(input) ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

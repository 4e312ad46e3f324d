import { posix } from 'node:path';
import { isObject, type JsonValue, LonghaulError, matchesPattern, toLonghaulError } from '@longhaul/protocol';
import {
  commandsAfterPatches,
  createPathMatcher,
  type FileAct,
  fileActsOf,
  processActOf,
  quoteWord,
} from '@longhaul/tools';
import { type CommandPiece, commandPieces, type ShellParser } from './command-pieces.ts';
import { matchesUrl } from './url-pattern.ts';

export type ApprovalAction = 'allow' | 'ask' | 'deny';

export interface ApprovalRule {
  /** A tool's name, or a pattern with `*`. */
  tool: string;
  /**
   * A pattern for commands. `*` matches any text; a pattern that ends in ` *` also matches the command without
   * arguments.
   */
  command?: string;
  /**
   * A glob for the call's path, relative to the workspace, or absolute for a path outside it. A glob without a slash is
   * matched against the file name.
   */
  path?: string;
  /** A pattern for the URL of a call, such as `https://*.example.com/docs/*`. `*` matches any text of its part. */
  url?: string;
  action: ApprovalAction;
}

export interface JudgedCall {
  toolName: string;
  input: JsonValue;
  /** The workspace as commands see it. Absolute paths below it count as relative to it. */
  workspacePath: string;
  /**
   * Resolves links and returns the path relative to the workspace, or absolute if it leads out. Rejects if tools cannot
   * use the path. If absent, links are not resolved.
   */
  realPath?: (path: string) => Promise<string>;
}

export interface Judgement {
  action: ApprovalAction;
  /** The rule that decided. Absent if none matched. */
  rule?: ApprovalRule;
  /**
   * What an approval covers, used to remember the answer for the session: the simple commands as written, the tool, or
   * the tool with one path outside the workspace, or with the origin of a URL.
   */
  subjects: string[];
}

/** @param fallback What applies if no rule matches. Gets whether the path leads out of the workspace. */
export type Judge = (
  call: JudgedCall,
  fallback: ApprovalAction | ((isOutside: boolean) => ApprovalAction),
) => Promise<Judgement>;

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
    const url = urlOf(call);
    const judged: { facts: Facts; subject: string }[] = [
      ...(pieces ?? (acts.length > 0 ? [] : [undefined])).map((piece) => ({
        facts: { toolName: call.toolName, piece, paths, url, alsoRestrictedBy: asCommands(call, parse) },
        subject: piece?.source ?? toolSubject(call, paths, url),
      })),
      ...acts.map((act) => ({ facts: act, subject: wholeTool(`${PATCH_TOOL} ${act.kind}`, act.paths) })),
    ];
    const decisions = judged.map(({ facts, subject }) => {
      const rule = matchers.findLast((matches) => matches(facts))?.rule;
      const other = typeof fallback === 'string' ? fallback : fallback(isOutside(facts.paths));
      return { action: rule?.action ?? other, rule, subject };
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

/** Returns what an approval of the call covers: its simple commands, or the tool's name with a path outside or an origin. */
export async function subjectsOf(call: JudgedCall): Promise<string[]> {
  const pieces = piecesOf(call);
  const acts = (await actsOf(call)).map(({ kind, paths }) => wholeTool(`${PATCH_TOOL} ${kind}`, paths));
  if (pieces !== undefined || acts.length > 0)
    return [...(pieces ?? []).map(({ source }) => source), ...acts];
  const path = textField(call.input, 'path');
  return [toolSubject(call, path === undefined ? undefined : await pathsOf(path, call), urlOf(call))];
}

/**
 * What restricts `bash` also restricts the end of a command and its input, which may be read by a shell. The input is
 * judged as the lines of a shell.
 */
function asCommands({ toolName, input }: JudgedCall, parse?: ShellParser): Facts['alsoRestrictedBy'] {
  const act = processActOf(toolName, input);
  if (act === undefined) return [];
  const typed = act.typed === undefined ? [] : commandPieces(act.typed, parse);
  return [undefined, ...typed].map((piece) => ({ toolName: 'bash', piece }));
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

/**
 * An approval of a tool without commands: in the workspace, for one path outside, for the origin of a URL, or for one
 * command in the background. No command can have this text.
 */
function toolSubject(
  { toolName, input }: JudgedCall,
  paths: Paths | undefined,
  url: URL | undefined,
): string {
  const act = processActOf(toolName, input);
  return act === undefined ? wholeTool(toolName, paths, url) : `${toolName}\0${act.handle}`;
}

function wholeTool(toolName: string, paths: Paths | undefined, url?: URL): string {
  return `${toolName}\0${isOutside(paths) ? paths?.real : (url?.origin ?? '')}`;
}

/** Describes what `subjectsOf` returns: a command as it is written, or a tool with the place in which it may work. */
export function subjectText(subject: string): string {
  const [toolName = '', path] = subject.split('\0');
  if (path === undefined) return subject;
  return path === '' ? `${toolName} in the workspace` : `${toolName} ${path}`;
}

interface Paths {
  /** As the call names it. */
  named: string;
  /** Where it leads. */
  real: string;
}

function isOutside(paths: Paths | undefined): boolean {
  return paths?.real.startsWith('/') ?? false;
}

const RANK: Readonly<Record<ApprovalAction, number>> = { allow: 0, ask: 1, deny: 2 };

interface Facts {
  toolName: string;
  piece: CommandPiece | undefined;
  paths: Paths | undefined;
  url?: URL | undefined;
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
      reachesOut(rule, facts.paths) &&
      (path === undefined || (facts.paths !== undefined && pathMatches(rule, path, facts.paths))) &&
      (rule.url === undefined || (facts.url !== undefined && urlMatches(rule.url, facts.url, rule)))
    );
  };
  return Object.assign(matches, { rule });
}

/**
 * A rule that allows reaches a path outside the workspace only if it names it by an absolute glob, or allows
 * everything: the rules of most users are about their project.
 */
function reachesOut({ action, tool, command, path }: ApprovalRule, paths: Paths | undefined): boolean {
  if (action !== 'allow' || !isOutside(paths)) return true;
  return path === undefined ? tool === '*' && command === undefined : path.startsWith('/');
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

function urlMatches(pattern: string, url: URL, { action }: ApprovalRule): boolean {
  return matchesUrl(pattern, url, { restricts: action !== 'allow' });
}

async function pathsOf(path: string, { workspacePath, realPath }: JudgedCall): Promise<Paths> {
  const whole = posix.resolve(workspacePath, path);
  const inside = posix.relative(workspacePath, whole);
  const named = inside === '..' || inside.startsWith('../') ? whole : inside;
  // The tool refuses a path that leads out of the workspace or cannot be resolved.
  const real = await realPath?.(path).catch(() => named);
  return { named, real: real ?? named };
}

/** Tools get addresses of the web in the normal form of this parser. */
function urlOf({ input }: JudgedCall): URL | undefined {
  const url = URL.parse(textField(input, 'url') ?? '');
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined;
}

function textField(input: JsonValue, name: string): string | undefined {
  const value = isObject(input) ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

import type { ExecResult, Tool, ToolContext, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, formatToolOutput, groupDigits, plural } from '@longhaul/core/tool-output';
import { isObject, type JsonObject, type JsonValue, LonghaulError, parseJson } from '@longhaul/protocol';
import { startInBackground } from './bash-background.ts';
import { shellLine } from './command-line.ts';
import { describeMissing } from './describe-missing.ts';
import { BASH_DIALECT } from './dialect/command-dialects.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { LiveLines } from './live-lines.ts';
import { type CollectedOutput, createOutputCollector, type OutputCollector } from './output-collector.ts';
import { CALL_THE_TOOL, callsPatchProgram, missedPatchProgram } from './patch/misplaced-patch.ts';
import { readPatchCommands } from './patch/patch-command.ts';
import { runTypedPatches } from './patch/typed-patches.ts';
import { failedResult } from './tool-result.ts';

export interface BashInput {
  command: string;
  /** Relative to the workspace, or absolute below it. Default: the workspace. */
  workdir?: string;
  timeoutMs?: number;
  /** Default false. */
  background?: boolean;
  /** With `background`: the command outlives the run. Default false. */
  keep?: boolean;
}

export interface BashOptions {
  /** Characters of output shown, head and tail together. Default 30,000. */
  maxOutputChars?: number;
  /** Default 120,000. */
  timeoutMs?: number;
  /** The longest timeout that a call may set. Default 600,000. */
  maxTimeoutMs?: number;
  /** How much of a command's output is kept for `recall`. Default 256 MiB. */
  maxKeptBytes?: number;
}

/** Room for exit code, labels and notes, so that the executor does not cut an output that this tool has already cut. */
const REMARK_CHARS = 1_000;

/**
 * Creates the `bash` tool. It runs alone, because two commands, or a command and an edit, may change the same files.
 */
export function createBashTool(options: BashOptions = {}): Tool<BashInput> {
  const { maxOutputChars = 30_000, timeoutMs = 120_000, maxTimeoutMs = 600_000, maxKeptBytes } = options;
  const tool: Tool<BashInput> = {
    name: 'bash',
    aliases: BASH_DIALECT.names,
    runsAlone: true,
    maxOutputChars: maxOutputChars + REMARK_CHARS,
    schema: {
      name: 'bash',
      description: 'Run a command in the workspace, in a new shell without stdin.',
      parameters: {
        type: 'object',
        properties: {
          command: { type: 'string' },
          workdir: { type: 'string' },
          timeoutMs: { type: 'integer', description: `Default ${timeoutMs}` },
          background: { type: 'boolean', description: 'Returns a handle for process' },
          keep: { type: 'boolean', description: 'Outlives the run' },
        },
        required: ['command'],
      },
    },
    parse: (value) =>
      parseInput(withAction(value), BASH_DIALECT, (fields) => ({
        command: readCommand(fields),
        workdir: fields.optionalText('workdir') || undefined,
        timeoutMs: readTimeout(fields),
        ...readBackground(fields),
      })),
    async execute(input, context) {
      if (input.command.trim() === '') return describeEmptyCommand();
      const typed = readPatchCommands(input.command, input.workdir);
      if (typed.patches.length > 0)
        return runTypedPatches(typed, context, (rest) => tool.execute(rest, context));
      if (callsPatchProgram(input.command)) return failedResult(`${CALL_THE_TOOL} Nothing was run.`);
      const folder = await findFolder(input.workdir, context);
      if ('refusal' in folder) return failedResult(folder.refusal);
      if (input.background) return startInBackground(input, folder.path, context);
      const longestMs = Math.max(maxTimeoutMs, timeoutMs);
      const limitMs = Math.min(input.timeoutMs ?? timeoutMs, longestMs);
      const collector = createOutputCollector({
        maxChars: maxOutputChars,
        blobs: context.blobs,
        maxKeptBytes,
      });
      const ending = await runCommand(input.command, { cwd: folder.path, limitMs, collector, context });
      const output = await collector.end();
      const wantedMs = (input.timeoutMs ?? 0) > longestMs ? input.timeoutMs : undefined;
      return describe({ command: input.command, ending, output, limitMs, maxTimeoutMs, wantedMs });
    },
  };
  return tool;
}

function readBackground(fields: InputFields): Pick<BashInput, 'background' | 'keep'> {
  const keep = fields.flag('keep');
  // Only a command in the background can be kept.
  if (!fields.flag('background') && !keep) return {};
  return { background: true, ...(keep && { keep }) };
}

/** Codex's `local_shell` has its arguments in `action`. */
function withAction(value: JsonValue): JsonValue {
  if (!isObject(value) || value['command'] !== undefined) return value;
  const { action, ...rest } = value;
  const inner = typeof action === 'string' ? parseJson(action) : action;
  if (!isObject(inner) || inner['command'] === undefined) return value;
  const { type: _type, env, ...fields } = inner;
  const isEmpty = !isObject(env) || Object.keys(env).length === 0;
  return { ...rest, ...fields, ...(isEmpty ? {} : { env }) };
}

/** Reads a shell line. An array of words is made into one. */
function readCommand(fields: InputFields): string {
  const given = fields.value('command');
  const words = Array.isArray(given) ? given : wordsIn(given);
  const command = words !== undefined ? shellLine(words) : fields.text('command');
  if (command === undefined) fields.problem('`command` must be a shell line, or an array of texts.');
  if (command?.includes('\0')) fields.problem('`command` contains a NUL character, which no shell accepts.');
  return command ?? '';
}

/** An array of texts as JSON text. `[ -f x ]` is a shell line. */
function wordsIn(given: JsonValue | undefined): JsonValue[] | undefined {
  if (typeof given !== 'string' || !/^\s*\[\s*"/.test(given)) return undefined;
  // Line breaks in the texts are often not escaped.
  const words = parseJson(given) ?? parseJson(given.trim().replaceAll('\n', '\\n'));
  return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
}

/** Values below this are seconds: no command is meant to end within a second, and other agents count in seconds. */
const SECONDS_BELOW = 1_000;

const DURATION =
  /^\s*(\d+(?:\.\d+)?)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\s*$/i;
const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ s: 1_000, sec: 1_000, secs: 1_000, second: 1_000, seconds: 1_000 },
  ...{ m: 60_000, min: 60_000, mins: 60_000, minute: 60_000, minutes: 60_000 },
  ...{ h: 3_600_000, hour: 3_600_000, hours: 3_600_000 },
};

/** Reads a timeout in milliseconds, or with its unit, such as 2m. 0 means the default. */
function readTimeout(fields: InputFields): number | undefined {
  const text = fields.value('timeoutMs');
  const [, number, unit = ''] = (typeof text === 'string' && DURATION.exec(text)) || [];
  if (number !== undefined)
    return Math.ceil(Number(number) * (UNITS_MS[unit.toLowerCase()] ?? 1)) || undefined;
  const given = fields.optionalInteger('timeoutMs', 0) ?? 0;
  if (given === 0) return undefined;
  return given < SECONDS_BELOW ? given * 1_000 : given;
}

type Ending = ExecResult | { ended: 'failed'; reason: string };

interface RunOptions {
  cwd: string | undefined;
  limitMs: number;
  collector: OutputCollector;
  context: ToolContext;
}

/**
 * Runs the command. If the sandbox dies in the meantime, that is an ending too, so that the output so far is returned.
 */
async function runCommand(
  command: string,
  { cwd, limitMs, collector, context }: RunOptions,
): Promise<Ending> {
  using live = new LiveLines({
    lastLines: () => collector.lastLines(),
    report: (update) => context.progress(update),
  });
  try {
    return await context.sandbox.exec(command, {
      cwd,
      timeoutMs: limitMs,
      signal: context.signal,
      async onOutput(chunk, stream) {
        await collector.push(chunk, stream);
        live.changed();
      },
    });
  } catch (thrown) {
    if (thrown instanceof LonghaulError && thrown.code === 'sandbox_failed') {
      return { ended: 'failed', reason: thrown.message };
    }
    throw thrown;
  }
}

async function findFolder(
  given: string | undefined,
  { sandbox: { toolFiles: files } }: ToolContext,
): Promise<{ path: string | undefined } | { refusal: string }> {
  if (given === undefined) return { path: undefined };
  try {
    const info = await files.stat(given);
    if (info === undefined) return { refusal: `\`workdir\`: ${await describeMissing(files, given)}` };
    if (info.kind === 'directory') return { path: (await files.resolve(given)) || undefined };
    return { refusal: `\`workdir\` must be a folder, but ${displayPath(given)} is a file.` };
  } catch (thrown) {
    if (!(thrown instanceof LonghaulError) || thrown.code !== 'path_outside_workspace') throw thrown;
    return { refusal: `\`workdir\`: ${thrown.message} To run a command there, use cd in it.` };
  }
}

function describeEmptyCommand(): ToolResult {
  return { content: [{ type: 'text', text: '`command` is empty: give a shell command.' }], isError: true };
}

interface Outcome {
  command: string;
  ending: Ending;
  output: CollectedOutput;
  limitMs: number;
  maxTimeoutMs: number;
  /** The timeout of the call, if it is longer than allowed. */
  wantedMs: number | undefined;
}

function describe(outcome: Outcome): ToolResult {
  const { command, ending, output } = outcome;
  const text = [
    shownOutput(output),
    endingLine(outcome),
    lossLine(output),
    leftLine(ending),
    ...remarks(outcome),
  ].filter((part) => part !== '');
  const lost = output.cut && output.fullOutput === undefined;
  return {
    title: `${cutLine(command.trim().split('\n')[0] ?? '', 100)} (${shortEnding(ending)})`,
    content: [
      {
        type: 'text',
        text: lost ? formatToolOutput(text.join('\n'), { chars: output.totalChars }) : text.join('\n'),
      },
    ],
    isError: !(ending.ended === 'exit' && ending.exitCode === 0),
    ...(wasKilled(ending) && { wasKilled: true }),
    metadata: outcomeFacts(ending, output),
    fullOutput: output.fullOutput,
  };
}

/** Shells report the end by a signal as 128 and its number. */
const EXIT_CODES_OF_STOPS = [129, 130, 143];

/** Whether something else than the time limit or a cancel ended the command. */
function wasKilled(ending: Ending): boolean {
  if (ending.ended === 'failed') return true;
  if (ending.ended !== 'exit') return false;
  return ending.exitCode === undefined || EXIT_CODES_OF_STOPS.includes(ending.exitCode);
}

function shownOutput({ stdout, stderr }: CollectedOutput): string {
  const [out, err] = [stdout.trimEnd(), stderr.trimEnd()];
  if (out === '' || err === '') return out + err;
  return `[stdout]\n${out}\n[stderr]\n${err}`;
}

function endingLine({ ending, output, limitMs, maxTimeoutMs }: Outcome): string {
  switch (ending.ended) {
    case 'exit': {
      const code =
        ending.exitCode === undefined
          ? `killed by ${ending.signal ?? 'a signal'}`
          : `exit code ${ending.exitCode}`;
      return output.totalChars === 0 ? `[no output, ${code}]` : `[${code}]`;
    }
    case 'timeout': {
      const more =
        limitMs < maxTimeoutMs
          ? `set a longer timeoutMs (at most ${maxTimeoutMs})`
          : 'split it into smaller pieces';
      return `[timed out after ${limitMs} ms and was killed, with everything it started. If it needs longer, ${more}. If it waits for input or never ends, run it differently]`;
    }
    case 'aborted':
      return '[cancelled: the command was killed]';
    case 'failed':
      return `[the sandbox failed: ${ending.reason}. The command may have run in part: check before repeating it]`;
  }
}

function lossLine(output: CollectedOutput): string {
  if (output.keepingFailed !== undefined) {
    return `[the omitted output could not be kept: ${output.keepingFailed} To see it, run again with less output]`;
  }
  if (output.droppedChars === 0) return '';
  return `[too much output: ${groupDigits(output.droppedChars)} chars at the end were not kept for recall]`;
}

function leftLine(ending: Ending): string {
  if (ending.ended === 'failed' || ending.leftRunning === undefined) return '';
  return `[left running: ${plural(ending.leftRunning, 'process')}]`;
}

function remarks({ output, limitMs, wantedMs }: Outcome): string[] {
  const isMissed = missedPatchProgram(`${output.stdout}\n${output.stderr}`);
  return [
    ...(wantedMs === undefined
      ? []
      : [`[the time limit was ${limitMs} ms, the longest possible, and not ${wantedMs} ms]`]),
    ...(isMissed ? [`[${CALL_THE_TOOL}]`] : []),
  ];
}

function shortEnding(ending: Ending): string {
  if (ending.ended !== 'exit') return ending.ended;
  return ending.exitCode === undefined
    ? `killed by ${ending.signal ?? 'a signal'}`
    : `exit ${ending.exitCode}`;
}

function outcomeFacts(ending: Ending, output: CollectedOutput): JsonObject {
  const facts: JsonObject = { ended: ending.ended, outputChars: output.totalChars };
  if (ending.ended === 'failed') return facts;
  facts['durationMs'] = ending.durationMs;
  if (ending.exitCode !== undefined) facts['exitCode'] = ending.exitCode;
  if (ending.signal !== undefined) facts['signal'] = ending.signal;
  if (ending.leftRunning !== undefined) facts['leftRunning'] = ending.leftRunning;
  return facts;
}

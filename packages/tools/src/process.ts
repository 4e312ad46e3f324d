import type { BackgroundCommand, BackgroundCommands, Tool, ToolContext, ToolResult } from '@longhaul/core';
import { cutLine, describeBackgroundEnd, groupDigits } from '@longhaul/core/tool-output';
import { PROCESS_DIALECT } from './dialect/command-dialects.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { LiveLines } from './live-lines.ts';
import { readWaitFor, type WaitFor, type WaitOutcome, waitForCommand } from './process-wait.ts';
import { failedResult, reportRefusals } from './tool-result.ts';

const ACTIONS = ['list', 'output', 'write', 'kill'] as const;
type ProcessAction = (typeof ACTIONS)[number];

export interface ProcessInput {
  action: ProcessAction;
  handle?: string | undefined;
  input?: string | undefined;
  waitFor?: WaitFor | undefined;
  timeoutMs?: number | undefined;
}

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

/** Creates the tool for commands that `bash` has started in the background. */
export function createProcessTool(): Tool<ProcessInput> {
  return {
    name: 'process',
    aliases: PROCESS_DIALECT.names,
    // Two inputs of one step must arrive in their order.
    runsAlone: true,
    schema: {
      name: 'process',
      description: 'Background commands of bash. Returns what is new, after waitFor.',
      parameters: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: [...ACTIONS] },
          handle: { type: 'string' },
          input: { type: 'string', description: 'With its line breaks' },
          waitFor: { type: 'string', description: 'Regex of a line, "port 8000" or "end"' },
          timeoutMs: { type: 'integer' },
        },
        required: ['action'],
      },
    },
    parse: (value) => parseInput(value, PROCESS_DIALECT, readInput),
    async execute(input, context) {
      const { background } = context;
      if (background === undefined) return failedResult('No command can run in the background here.');
      if (input.action === 'list') return describeAll(background);
      const command = background.list().find(({ handle }) => handle === input.handle);
      if (command === undefined) return describeUnknown(input.handle ?? '', background);
      return reportRefusals(() => act(command, input, context));
    },
  };
}

function readInput(fields: InputFields): ProcessInput {
  const input = fields.optionalText('input');
  const handle = fields.optionalText('handle')?.trim() || undefined;
  const fallback = input !== undefined ? 'write' : handle === undefined ? 'list' : 'output';
  const given = fields.optionalText('action')?.trim().toLowerCase() || fallback;
  const action = ACTIONS.find((each) => each === given);
  if (action === undefined) fields.problem(`\`action\` must be one of ${ACTIONS.join(', ')}.`);
  if (action !== 'list' && handle === undefined)
    fields.problem('`handle` is missing: give the one that bash has returned, as m12.3.');
  if (action === 'write' && input === undefined) fields.problem('`input` is missing.');
  const timeoutMs = fields.optionalInteger('timeoutMs', 0) || undefined;
  return { action: action ?? 'list', handle, input, waitFor: readWaitFor(fields), timeoutMs };
}

async function act(
  command: BackgroundCommand,
  { action, input = '', waitFor, timeoutMs = DEFAULT_WAIT_MS }: ProcessInput,
  context: ToolContext,
): Promise<ToolResult> {
  if (action === 'kill') await command.stop();
  // What was printed before the input does not answer it.
  const before = action === 'write' && waitFor !== undefined ? command.takeOutput() : undefined;
  if (action === 'write') command.write(input);
  const awaited =
    waitFor === undefined || action === 'kill'
      ? undefined
      : await waitAloud(command, waitFor, { timeoutMs: Math.min(timeoutMs, MAX_WAIT_MS), context });
  return describe(command, { action, awaited, before: before?.text ?? '' });
}

/** Waits, and shows people the last lines of the command in the meantime. */
async function waitAloud(
  command: BackgroundCommand,
  waitFor: WaitFor,
  options: { timeoutMs: number; context: ToolContext },
): Promise<WaitOutcome> {
  using live = new LiveLines({
    lastLines: () => command.lastLines,
    report: (update) => options.context.progress(update),
  });
  const unwatch = command.watch({ onOutput: async () => live.changed(), onEnd: () => undefined });
  try {
    return await waitForCommand(command, waitFor, options);
  } finally {
    unwatch();
  }
}

function describe(
  command: BackgroundCommand,
  { action, awaited, before }: { action: ProcessAction; awaited: WaitOutcome | undefined; before: string },
): ToolResult {
  const { text, droppedChars } = command.takeOutput();
  const { end, handle } = command;
  // The end is in this result.
  if (end !== undefined) command.endReported();
  const lines = [
    ...(droppedChars === 0 ? [] : [`[${groupDigits(droppedChars)} older chars were not read and are lost]`]),
    (before + text).trimEnd() || '[no new output]',
    ...(awaited?.remark === undefined ? [] : [`[${awaited.remark}]`]),
    end === undefined ? `[${handle} runs]` : `[${handle} has ended: ${describeBackgroundEnd(end)}]`,
  ];
  return {
    title: `${action} ${handle}: ${cutLine(command.command.trim().split('\n')[0] ?? '', 80)}`,
    content: [{ type: 'text', text: lines.join('\n') }],
    isError: awaited?.isMet === false,
    metadata: { background: { handle, runs: end === undefined } },
  };
}

function describeAll(background: BackgroundCommands): ToolResult {
  const lines = background.list().map(({ handle, command, end, lastLines }) => {
    const state = end === undefined ? 'runs' : `ended: ${describeBackgroundEnd(end)}`;
    const last = lastLines.at(-1);
    return `${handle} ${cutLine(command, 100)} (${state})${last === undefined ? '' : `: ${cutLine(last, 160)}`}`;
  });
  const text = lines.length === 0 ? 'No background command was started in this run.' : lines.join('\n');
  return { title: 'background commands', content: [{ type: 'text', text }] };
}

function describeUnknown(handle: string, background: BackgroundCommands): ToolResult {
  const known = background.list().map((command) => command.handle);
  const list = known.length === 0 ? 'None was started in this run.' : `Known: ${known.join(', ')}.`;
  return failedResult(
    `No background command of this run has the handle ${JSON.stringify(handle.slice(0, 60))}. ${list} Commands of earlier runs have ended.`,
  );
}

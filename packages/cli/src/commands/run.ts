import type { ConfigInput } from '@longhaul/config';
import { type TypedCompaction, typedCompaction } from '@longhaul/protocol';
import type { TypedInput } from '../attach/attach-files.ts';
import { checkedAddress } from '../command-line/checked-address.ts';
import { COMPACT_FLAGS, RESUME_FLAGS, RUN_FLAGS } from '../command-line/flags.ts';
import { oneOf, type ParsedFlags, parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { gitOf } from '../run/git-of.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { readTask, typedWords } from '../run/read-task.ts';
import type { RunDisplay } from '../run/show-run.ts';
import type { Terminal } from '../terminal.ts';

type RunValues = ParsedFlags<typeof RUN_FLAGS>['values'];

/** `longhaul run`: works on a task until it is done. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'run', RUN_FLAGS);
  const typed = ['run', ...argv];
  if (values.all === true && values.session === undefined && values.resume !== true) {
    throw usage('--all works only with --session or --resume.', 'run');
  }
  if (values.resume === true) {
    const [named, ...others] = [values.session, ...positionals].filter((id) => id !== undefined);
    if (others.length > 0) {
      throw usage(
        '--resume takes a session and no task. To send a message: longhaul run --session ID "…".',
        'run',
      );
    }
    if (values.image !== undefined) throw usage('--image needs a task, and --resume has none.', 'run');
    return await start({ ...values, session: named }, { typed }, terminal);
  }
  const input = { text: typedWords(positionals), images: values.image ?? [], folder: terminal.cwd };
  const task = await readTask(positionals, terminal);
  const compaction = typedCompaction(task);
  if (compaction !== undefined) return await compactInstead(compaction, values, terminal);
  return await start(values, { task, input, typed }, terminal);
}

/**
 * The task `/compact` compacts the session, as in a conversation.
 *
 * @throws A usage error for a flag that `longhaul compact` does not have.
 */
async function compactInstead(
  { focus }: TypedCompaction,
  { session, ...values }: RunValues,
  terminal: Terminal,
): Promise<number> {
  if (session === undefined)
    throw usage('/compact works on a session. Name it: longhaul run --session ID "/compact".', 'run');
  const given = Object.entries({ ...values, focus }).filter(([, value]) => value !== undefined);
  const foreign = given.find(([name]) => !(name in COMPACT_FLAGS));
  if (foreign !== undefined)
    throw usage(
      `/compact compacts the session, and --${foreign[0]} has no effect on that. Leave it out.`,
      'run',
    );
  const flags = given.map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  const { compact } = await import('./compact.ts');
  return await compact([session, ...flags], terminal);
}

/** `longhaul resume`: resumes a session, or the newest of this workspace that can be resumed. */
export async function resume(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'resume', RESUME_FLAGS);
  const [id, ...others] = positionals;
  if (others.length > 0) throw usage('Name one session: longhaul resume ID.', 'resume');
  return await start({ ...values, session: id }, { typed: ['resume', ...argv] }, terminal);
}

/** Without a task, resumes an earlier session. */
async function start(
  values: RunValues,
  { task, input, typed }: { task?: string; input?: TypedInput; typed: readonly string[] },
  terminal: Terminal,
): Promise<number> {
  const flags = toConfig(values);
  const window = positiveNumber(values.window, '--window', { whole: true });
  const maxOutput = positiveNumber(values['max-output'], '--max-output', { whole: true });
  const { runTask } = await import('../run/run-task.ts');
  let live: RunDisplay['live'];
  using interrupt = watchInterrupts(terminal, () => {
    const notice = 'Stopping; Ctrl-C again ends at once.\n';
    if (live === undefined) terminal.err.write(`\n${notice}`);
    else live.insert(notice);
  });
  return await runTask({
    flags,
    terminal,
    isWaiting: values.wait === true,
    signal: interrupt.signal,
    onDisplay: (display) => {
      live = display.live;
    },
    place: values,
    agent: values.agent,
    choice: {
      model: values.model,
      baseUrl: checkedAddress(values['base-url']),
      maxOutput,
      effort: oneOf(values.effort, '--effort', RUN_FLAGS.effort.values),
    },
    acceptAll: values.yes === true,
    assumeEnded: values['assume-ended'],
    display: values.json ? 'events' : values.quiet ? 'answer' : 'progress',
    task,
    input,
    window,
    git: gitOf(values),
    session: values.session,
    all: values.all,
    typed,
    resumeFlags: resumeFlags(values),
    noColor: values['no-color'],
    verbose: values.verbose,
  });
}

/** The flags of a run that its session does not keep. */
const NOT_KEPT = [
  'sandbox',
  'network',
  'window',
  'max-output',
  'effort',
  'strategy',
  'max-steps',
  'max-cost',
  'max-minutes',
] as const;

const TOGGLES_NOT_KEPT = ['keep-processes', 'yes'] as const;

function resumeFlags(values: RunValues): string[] {
  const flags = NOT_KEPT.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  const passed = (values.env ?? []).flatMap((name) => ['--env', name]);
  const toggles = TOGGLES_NOT_KEPT.filter((name) => values[name] === true).map((name) => `--${name}`);
  return [...flags, ...passed, ...toggles];
}

/** `all` among other names is all. */
function passedNames(names: readonly string[] | undefined): string[] | 'all' | undefined {
  const wrong = names?.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    // The value may be a secret.
    throw usage(
      `--env ${wrong.split('=')[0]}: give the name of a variable, without $ and without a value.`,
      'run',
    );
  return names?.includes('all') ? 'all' : names && [...names];
}

function toConfig(values: RunValues): ConfigInput {
  const driver = oneOf(values.sandbox, '--sandbox', RUN_FLAGS.sandbox.values);
  const network = oneOf(values.network, '--network', RUN_FLAGS.network.values);
  const steps = positiveNumber(values['max-steps'], '--max-steps', { whole: true });
  const costUsd = positiveNumber(values['max-cost'], '--max-cost', { whole: false });
  const minutes = positiveNumber(values['max-minutes'], '--max-minutes', { whole: false });
  return {
    sandbox: { driver, network, env: passedNames(values.env), keepProcesses: values['keep-processes'] },
    limits: { steps, costUsd, minutes },
    context: { compression: { strategy: values.strategy } },
  };
}

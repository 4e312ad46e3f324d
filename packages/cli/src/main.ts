import { setImmediate } from 'node:timers/promises';
import { ERROR_TRAITS, LonghaulError, suggestion } from '@longhaul/protocol';
import type { Flags } from './command-line/flags.ts';
import { printError } from './print-error.ts';
import { startTheme } from './render/theme.ts';
import { escapeWarnings, safeTerminal } from './safe-terminal.ts';
import { columnsOf, processTerminal, type Terminal } from './terminal.ts';

/** Runs a command to its end and returns its exit code. */
export type Command = (argv: readonly string[], terminal: Terminal) => Promise<number>;

/** Each command is loaded when it is called, so that help starts fast. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).run,
  chat: async () => (await import('./commands/chat.ts')).chat,
  resume: async () => (await import('./commands/run.ts')).resume,
  cancel: async () => (await import('./commands/cancel.ts')).cancel,
  send: async () => (await import('./commands/send.ts')).send,
  queue: async () => (await import('./commands/queue.ts')).queue,
  fork: async () => (await import('./commands/fork.ts')).fork,
  sessions: async () => (await import('./commands/sessions.ts')).sessions,
  ps: async () => (await import('./commands/ps.ts')).ps,
  show: async () => (await import('./commands/show.ts')).show,
  search: async () => (await import('./commands/search.ts')).search,
  context: async () => (await import('./commands/context.ts')).context,
  compact: async () => (await import('./commands/compact.ts')).compact,
  diff: async () => (await import('./commands/diff.ts')).diff,
  revert: async () => (await import('./commands/revert.ts')).revert,
  unrevert: async () => (await import('./commands/revert.ts')).unrevert,
  tree: async () => (await import('./commands/tree.ts')).tree,
  undo: async () => (await import('./commands/undo.ts')).undo,
  pin: async () => (await import('./commands/pin.ts')).pin,
  unpin: async () => (await import('./commands/pin.ts')).unpin,
  import: async () => (await import('./commands/import.ts')).importFiles,
  export: async () => (await import('./commands/export.ts')).exportSession,
  serve: async () => (await import('./commands/serve.ts')).serve,
  acp: async () => (await import('./commands/acp.ts')).acp,
  gateway: async () => (await import('./commands/gateway.ts')).gateway,
  gc: async () => (await import('./commands/gc.ts')).gc,
  backup: async () => (await import('./commands/backup.ts')).backup,
  restore: async () => (await import('./commands/backup.ts')).restore,
  'migrate-storage': async () => (await import('./commands/migrate-storage.ts')).migrateStorage,
  repair: async () => (await import('./commands/repair.ts')).repair,
  models: async () => (await import('./commands/models.ts')).models,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  config: async () => (await import('./commands/config.ts')).showConfig,
  login: async () => (await import('./commands/login.ts')).login,
  logout: async () => (await import('./commands/login.ts')).logout,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  token: async () => (await import('./commands/token.ts')).token,
  usage: async () => (await import('./commands/usage.ts')).usage,
  share: async () => (await import('./commands/share.ts')).share,
  trust: async () => (await import('./commands/trust.ts')).trust,
  replay: async () => (await import('./commands/replay.ts')).replay,
  demo: async () => (await import('./commands/demo.ts')).demo,
};

/**
 * The `longhaul` command.
 *
 * Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 stopped at a limit or at repeated calls, 4 calls were
 * refused because nobody could approve them, and no call of a tool that can change something was allowed, 130
 * cancelled.
 *
 * @param argv Without the program's own name.
 */
export async function main(argv: readonly string[], given: Terminal = processTerminal()): Promise<number> {
  const terminal = safeTerminal(given);
  startTheme(terminal.env);
  if (given.err === process.stderr) escapeWarnings(terminal.err);
  const output = surviveLostOutput(terminal);
  const exitCode = await dispatchOrExplain(argv, terminal);
  await written(terminal);
  const lost = output.failure;
  if (lost === undefined) return exitCode;
  terminal.err.write(
    `longhaul: Standard output cannot be written (${lost}). Everything stored so far is kept.\n`,
  );
  return exitCode === 0 || exitCode === ERROR_TRAITS.cancelled.exitCode ? 1 : exitCode;
}

async function dispatchOrExplain(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    return printError(error, terminal, { json: flagsOf(argv).includes('--json') });
  }
}

/**
 * Waits until all output is written: a pipe takes 64 KiB at a time, and the rest would be lost with the process. Bun
 * reports that a write failed only after the next empty one.
 */
async function written({ out, err }: Terminal): Promise<void> {
  await Promise.all(
    [out, err].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
  );
  await setImmediate();
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--version' || name === '-v' || name === 'version') {
    const { version } = await import('./version.ts');
    terminal.out.write(`${await version()}\n`);
    return 0;
  }
  const asksForHelp = flagsOf(argv).some((flag) => flag === '--help' || flag === '-h');
  const isAtTerminal = terminal.out.isTTY === true && terminal.input.isTTY === true;
  if (name === undefined && isAtTerminal) return await runChat([], terminal);
  if (name === undefined || name === 'help' || asksForHelp) {
    const topic = name === 'help' ? rest[0] : name?.startsWith('-') ? undefined : name;
    return showHelp(topic, { terminal, isError: name === undefined });
  }
  if (name.startsWith('-') && (await isChatFlag(name))) return await runChat(argv, terminal);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) throw await unknownCommand(name);
  const command = await load();
  return command(rest, terminal);
}

async function runChat(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { chat } = await import('./commands/chat.ts');
  return await chat(argv, terminal);
}

/** Flags without a command are those of the chat, as in `longhaul --continue`. */
async function isChatFlag(argument: string): Promise<boolean> {
  const { CHAT_FLAGS } = await import('./command-line/flags.ts');
  const flags: Flags = CHAT_FLAGS;
  if (argument.startsWith('--')) return Object.hasOwn(flags, argument.slice(2).split('=')[0] ?? '');
  return Object.values(flags).some(({ short }) => short === argument[1]);
}

async function showHelp(
  topic: string | undefined,
  { terminal, isError }: { terminal: Terminal; isError: boolean },
): Promise<number> {
  if (topic !== undefined && !Object.hasOwn(COMMANDS, topic)) throw await unknownCommand(topic);
  const { helpFor } = await import('./command-line/help.ts');
  const stream = isError ? terminal.err : terminal.out;
  stream.write(helpFor(topic, stream.isTTY ? columnsOf(stream) : undefined));
  return isError ? 2 : 0;
}

/** Returns the arguments before `--`. After it, everything is text. */
function flagsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

async function unknownCommand(name: string): Promise<LonghaulError> {
  if (name.startsWith('-'))
    return new LonghaulError('usage', `Unknown flag ${name} before a command. See: longhaul --help`);
  const hint = suggestion(name, Object.keys(COMMANDS), (command) => `longhaul ${command}`);
  const task = hint === '' ? ' To give the agent a task: longhaul run "task".' : '';
  return new LonghaulError('usage', `There is no command "${name}".${hint}${task} See: longhaul --help`);
}

/** If the reader closes the pipe (`| head`), the rest of the output is dropped. A full disk is a failure. */
function surviveLostOutput({ out, err }: Terminal): { readonly failure: string | undefined } {
  let failure: string | undefined;
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') failure ??= error.code ?? error.message;
  });
  // There is no other place to report this.
  err.on('error', () => undefined);
  return {
    get failure() {
      return failure;
    },
  };
}

import type { AskMode, ConfigInput, Sandbox, Store } from '@longhaul/core';
import { ERROR_TRAITS, type EventOf, type Session } from '@longhaul/protocol';
import { chooseModel, type ModelChoice } from './compose/choose-model.ts';
import { loadSettings, type Place } from './compose/load-settings.ts';
import { type Agent, nameOf, openAgent } from './compose/open-agent.ts';
import { holdStorage } from './compose/open-storage.ts';
import { findSession } from './find-session.ts';
import { isImportedModel } from './import/imported-model.ts';
import { formatTokens } from './render/format.ts';
import type { RunHeader } from './render/run-renderer.ts';
import { type Display, type RunDisplay, showRun } from './show-run.ts';
import type { Terminal } from './terminal.ts';

export interface RunTaskOptions {
  task: string;
  flags: ConfigInput;
  place: Place;
  choice: ModelChoice;
  window?: number;
  /** Goes on in this session. */
  session?: string;
  /** What would be asked for is allowed. */
  acceptAll?: boolean;
  display: Display;
  noColor?: boolean;
  signal: AbortSignal;
  terminal: Terminal;
}

/** Runs a task as the flags say, shows it, and returns the exit code. */
export async function runTask(options: RunTaskOptions): Promise<number> {
  const { terminal, signal, task } = options;
  const { config, workspace } = await loadSettings(options.place, terminal, options.flags);
  await using storage = holdStorage(config.storage.url);
  const earlier =
    options.session === undefined
      ? undefined
      : await findSession((await storage.opened).store, options.session);
  const known = earlier !== undefined && !isImportedModel(earlier.model) ? { model: earlier.model } : {};
  const choice = { ...known, ...options.choice };
  const model = await chooseModel(config, choice, terminal.env);
  let display: RunDisplay | undefined;
  const agent = await openAgent({
    config,
    model,
    storage: storage.opened,
    env: terminal.env,
    ask: askMode(options),
    ...(options.window === undefined ? {} : { window: options.window }),
    onSandbox: (sandbox, session) => display?.header(headerOf(agent, { sandbox, session, task })),
  });
  const session = earlier
    ? await withModel((await storage.opened).store, earlier, nameOf(model))
    : await agent.runtime.createSession({ workspace, model: nameOf(model), task });
  using shown = showRun(agent.runtime, terminal, options);
  display = shown;
  using _asker = askMode(options) === 'wait' ? await askIn(options, { agent, shown, session }) : undefined;
  return await drive(agent, shown, { session, task, signal });
}

/** A person is asked where one reads along and can type. */
function askMode({ acceptAll, display, terminal }: RunTaskOptions): AskMode {
  if (acceptAll === true) return 'allow';
  const canAnswer = display === 'progress' && terminal.out.isTTY === true && terminal.input.isTTY === true;
  return canAnswer ? 'wait' : 'deny';
}

async function askIn(
  { terminal }: RunTaskOptions,
  { agent, shown, session }: { agent: Agent; shown: RunDisplay; session: Session },
): Promise<Disposable> {
  const { answerApprovals } = await import('./answer-approvals.ts');
  return answerApprovals({
    runtime: agent.runtime,
    terminal,
    sessionId: session.id,
    pause: () => shown.pause(),
  });
}

async function withModel(store: Store, session: Session, model: string): Promise<Session> {
  return session.model === model ? session : store.updateSession(session.id, { model });
}

export function headerOf(
  { window }: Agent,
  { sandbox, session, task }: { sandbox: Sandbox; session: Session; task: string },
): RunHeader {
  return {
    task,
    model: session.model,
    window: `window ${formatTokens(window.windowTokens)} (${window.source})`,
    sandbox: sandbox.description,
    workspace: session.workspace,
  };
}

/** The exit code of a run that has begun; what kept it from beginning is thrown. */
export async function drive(
  { runtime }: { runtime: Agent['runtime'] },
  shown: RunDisplay,
  { session, task, signal }: { session: Session; task: string; signal: AbortSignal },
): Promise<number> {
  try {
    await runtime.run(session.id, { content: [{ type: 'text', text: task }], signal });
  } catch (error) {
    // A run that ended in the store has been shown with its reason.
    if (shown.finished === undefined) throw error;
  }
  return shown.finished === undefined ? 1 : exitCodeOf(shown.finished);
}

export function exitCodeOf({ status, error }: Pick<EventOf<'run:finished'>, 'status' | 'error'>): number {
  if (status === 'completed') return 0;
  if (status === 'cancelled') return ERROR_TRAITS.cancelled.exitCode;
  if (status === 'limit') return ERROR_TRAITS.limit_reached.exitCode;
  return error === undefined ? 1 : ERROR_TRAITS[error.code].exitCode;
}

import type { AskMode } from '@longhaul/approvals';
import { agentNameOf, type ConfigInput } from '@longhaul/config';
import { drivingRun, isNothingToResume, type Sandbox, type Store } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { changedConfig } from './compose/changed-settings.ts';
import { chooseModel, type ModelChoice } from './compose/choose-model.ts';
import { loadSettings, type Place, type Settings } from './compose/load-settings.ts';
import { type Agent, nameOf, openAgent } from './compose/open-agent.ts';
import { type HeldStorage, holdStorage } from './compose/open-storage.ts';
import { openTelemetry } from './compose/open-telemetry.ts';
import { keepAddress, sessionAddress } from './compose/session-address.ts';
import { exitCodeOf } from './exit-code.ts';
import { findSession } from './find-session.ts';
import { goOn, tellOfNothing } from './go-on.ts';
import { isImportedModel } from './import/imported-model.ts';
import { formatTokens } from './render/format.ts';
import type { RunHeader } from './render/run-renderer.ts';
import { queueMessage, tellAnswer, tellOfQueue, waitForAnswer } from './send-to-busy.ts';
import { type Display, type RunDisplay, showRun } from './show-run.ts';
import type { Terminal } from './terminal.ts';
import type { TypeAhead } from './type-ahead.ts';

export interface RunTaskOptions {
  /** Absent: goes on where `session` stopped. */
  task?: string;
  /** Waits for the answer of another process's run. */
  isWaiting?: boolean;
  flags: ConfigInput;
  place: Place;
  choice: ModelChoice;
  window?: number;
  /** Goes on in this session. */
  session?: string;
  /** The agent that works. Default: the session's own, else the default one. */
  agent?: string;
  /** What would be asked for is allowed. */
  acceptAll?: boolean;
  display: Display;
  /** Called once there is something that shows the run. */
  onDisplay?: (display: RunDisplay) => void;
  noColor?: boolean;
  signal: AbortSignal;
  terminal: Terminal;
}

/** Runs a task as the flags say, shows it, and returns the exit code. */
export async function runTask(options: RunTaskOptions): Promise<number> {
  const { terminal, signal } = options;
  const settings = await loadSettings(options.place, terminal, options.flags);
  const { config, workspace } = settings;
  await using storage = holdStorage(config.storage.url);
  const earlier =
    options.session === undefined
      ? undefined
      : await findSession((await storage.opened).store, options.session);
  let { task } = options;
  const isBusy =
    earlier !== undefined &&
    task !== undefined &&
    (await drivingRun((await storage.opened).store, earlier.id)) !== undefined;
  if (isBusy && options.isWaiting !== true) {
    const exitCode = await queueMessage(await storage.opened, {
      session: earlier,
      text: task ?? '',
      options,
    });
    if (exitCode !== undefined) return exitCode;
    // The run has ended meanwhile: the message is in the queue, and this process delivers it.
    task = undefined;
  }
  if (earlier !== undefined && task === undefined) {
    const { store } = await storage.opened;
    if (await isNothingToResume(store, earlier.id)) return tellOfNothing(earlier, options);
  }
  const agentName = options.agent ?? agentNameOf(earlier ?? {});
  const choice = { agent: agentName, ...(await knownChoice(earlier, { storage, settings, options })) };
  const model = await chooseModel(config, choice, terminal.env);
  let display: RunDisplay | undefined;
  const agent = await openAgent({
    config,
    changed: storage.opened.then(({ store }) => changedConfig(settings, store)),
    model,
    agent: agentName,
    storage: storage.opened,
    env: terminal.env,
    ask: askMode(options),
    window: options.window,
    onSandbox: (sandbox, session) =>
      display?.header(
        headerOf(agent, { sandbox, session, task: task ?? session.task, baseUrl: choice.baseUrl }),
      ),
  });
  await using _telemetry = await openTelemetry(config.telemetry.otlp, agent.runtime);
  if (isBusy && task !== undefined) {
    return await waitForAnswer(agent.runtime, { session: earlier, text: task, options });
  }
  const session = earlier
    ? await goingOn((await storage.opened).store, earlier, { model: nameOf(model), agent: options.agent })
    : await agent.runtime.createSession({
        workspace,
        model: nameOf(model),
        task: task ?? '',
        ...(options.agent === undefined ? {} : { metadata: { agent: options.agent } }),
      });
  if (options.choice.baseUrl !== undefined)
    await keepAddress((await storage.opened).store, session.id, model);
  const exitCode = await showing(options, { agent, session }, (shown) => {
    display = shown;
    return task === undefined
      ? goOn(agent.runtime, shown, { session, options })
      : drive(agent, shown, { session, task, signal, terminal });
  });
  // Nothing is drawn any more: what was typed and not sent stands above.
  if (options.display === 'progress') await tellOfQueue(agent.runtime.queue, { session, terminal });
  return exitCode;
}

/** Shows what is done meanwhile, and takes what is typed. */
async function showing(
  options: RunTaskOptions,
  { agent, session }: { agent: Agent; session: Session },
  work: (shown: RunDisplay) => Promise<number>,
): Promise<number> {
  using shown = showRun(agent.runtime, options.terminal, options);
  options.onDisplay?.(shown);
  using typing = await typeIn(options, { agent, shown, session });
  using _asker =
    askMode(options) === 'wait' ? await askIn(options, { agent, shown, session, typing }) : undefined;
  return await work(shown);
}

/** A person is asked where one reads along and can type. */
function askMode({ acceptAll, display, terminal }: RunTaskOptions): AskMode {
  if (acceptAll === true) return 'allow';
  const canAnswer = display === 'progress' && terminal.out.isTTY === true && terminal.input.isTTY === true;
  return canAnswer ? 'wait' : 'deny';
}

/** Where a person sees the work, what they type meanwhile is queued. */
async function typeIn(
  { terminal }: RunTaskOptions,
  { agent, shown, session }: { agent: Agent; shown: RunDisplay; session: Session },
): Promise<TypeAhead | undefined> {
  const { live } = shown;
  if (live === undefined || terminal.input.isTTY !== true) return undefined;
  const { typeAhead } = await import('./type-ahead.ts');
  return typeAhead({ terminal, live, queue: agent.runtime.queue, sessionId: session.id });
}

async function askIn(
  { terminal }: RunTaskOptions,
  {
    agent,
    shown,
    session,
    typing,
  }: { agent: Agent; shown: RunDisplay; session: Session; typing: TypeAhead | undefined },
): Promise<Disposable> {
  const { answerApprovals } = await import('./answer-approvals.ts');
  return answerApprovals({
    runtime: agent.runtime,
    terminal,
    sessionId: session.id,
    pause: () => pauseBoth(shown, typing),
  });
}

/** Who asks a question has the terminal alone. */
function pauseBoth(shown: RunDisplay, typing: TypeAhead | undefined): Disposable {
  const typed = typing?.pause();
  const drawn = shown.pause();
  return {
    [Symbol.dispose]() {
      drawn[Symbol.dispose]();
      typed?.[Symbol.dispose]();
    },
  };
}

/** What flags say of the model, and what is known of the session's own where they say nothing. */
async function knownChoice(
  earlier: Session | undefined,
  { storage, settings, options }: { storage: HeldStorage; settings: Settings; options: RunTaskOptions },
): Promise<ModelChoice> {
  const { choice } = options;
  const model = choice.model ?? (earlier && !isImportedModel(earlier.model) ? earlier.model : undefined);
  if (earlier === undefined || model === undefined) return choice;
  const { store } = await storage.opened;
  const baseUrl = choice.baseUrl ?? (await sessionAddress(store, { id: earlier.id, model }, settings));
  return { ...choice, model, ...(baseUrl === undefined ? {} : { baseUrl }) };
}

/** The session with the model and the agent that go on with it. */
async function goingOn(
  store: Store,
  session: Session,
  { model, agent }: { model: string; agent: string | undefined },
): Promise<Session> {
  const isSame = session.model === model && (agent === undefined || agentNameOf(session) === agent);
  if (isSame) return session;
  const metadata = agent === undefined ? {} : { metadata: { ...session.metadata, agent } };
  return store.updateSession(session.id, { model, ...metadata });
}

export function headerOf(
  { window }: Agent,
  {
    sandbox,
    session,
    task,
    baseUrl,
  }: { sandbox: Sandbox; session: Session; task: string; baseUrl?: string | undefined },
): RunHeader {
  return {
    task,
    model: session.model,
    ...(baseUrl === undefined ? {} : { server: withoutQuery(baseUrl) }),
    window: `window ${formatTokens(window.windowTokens)} (${window.source})`,
    sandbox: sandbox.description,
    workspace: session.workspace,
  };
}

/** What may be a key is not for the screen. */
function withoutQuery(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}

/** The exit code of a run that has begun; what kept it from beginning is thrown. */
export async function drive(
  { runtime }: { runtime: Agent['runtime'] },
  shown: RunDisplay,
  { session, task, signal, terminal }: { session: Session; task: string } & Driven,
): Promise<number> {
  try {
    const result = await runtime.run(session.id, { content: [{ type: 'text', text: task }], signal });
    if (shown.finished === undefined) tellAnswer(result, terminal);
    return exitCodeOf(shown.finished ?? result);
  } catch (error) {
    // A run that ended in the store has been shown with its reason.
    if (shown.finished === undefined) throw error;
    return exitCodeOf(shown.finished);
  }
}

type Driven = Pick<RunTaskOptions, 'signal' | 'terminal'>;

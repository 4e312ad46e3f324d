import { agentNameOf } from '@longhaul/config';
import { requireAccepted, type Sandbox, type Store, sessionState } from '@longhaul/core';
import { LonghaulError, type Session, type UserMessageContentPart } from '@longhaul/protocol';
import { changedConfig } from '../compose/changed-settings.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { type Agent, nameOf, openAgent } from '../compose/open-agent.ts';
import { type HeldStorage, holdStorage } from '../compose/open-storage.ts';
import { openTelemetry } from '../compose/open-telemetry.ts';
import { keepAddress } from '../compose/session-address.ts';
import { fitLine, formatTokens, shortId } from '../render/format.ts';
import type { RunHeader } from '../render/run-renderer.ts';
import { age } from '../render/session-table.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { trustEvents } from '../trust/trust-events.ts';
import { watchMainThread } from '../watchdog/watchdog.ts';
import { queueMessage, reportAnswer, reportQueue, reportTaken, waitForAnswer } from './busy-session.ts';
import { confirmEnded } from './confirm-ended.ts';
import { createSession } from './create-session.ts';
import { exitCodeOf } from './exit-code.ts';
import { type NextMessage, nextMessage } from './next-message.ts';
import { originFrom } from './origin-from.ts';
import { reportNothing, resumeSession } from './resume-session.ts';
import { type AgentPlan, planRun, type RunPlan, type RunRequest } from './run-plan.ts';
import { loadMarkdown, type RunDisplay, showRun } from './show-run.ts';
import type { TypeAhead } from './type-ahead.ts';

export interface RunTaskOptions extends RunRequest {
  /** Called once the run can be shown. */
  onDisplay?: (display: RunDisplay) => void;
  noColor?: boolean;
  /** With `isSending`: the session that sends the task, by its id or the beginning of it. Default: the user sends it. */
  from?: string | undefined;
  /** Id of the message. Repeating it sends nothing, and waits for the same answer. */
  messageId?: string | undefined;
  /** Shows changes and outputs whole. */
  verbose?: boolean;
  signal: AbortSignal;
}

/** Plans a run, carries it out, shows it, and returns the exit code. */
export async function runTask(options: RunTaskOptions): Promise<number> {
  const settings = await loadSettings(options.place, options.terminal, options.flags, {
    asks: options.display === 'progress',
  });
  await using storage = holdStorage(settings.config.storage);
  const context = { settings, storage };
  const plan = await planRun(options, context);
  if (plan.action !== 'queue') return await carryOut(plan, { options, storage });
  const { session, content } = plan;
  const exitCode = await queueMessage(await storage.opened, { session, content, options, settings });
  if (exitCode !== undefined) return exitCode;
  // The other run has ended and left the message in the queue: this process delivers it, unless another is faster.
  const delivery = await planRun({ ...options, task: undefined }, context);
  return await carryOut(delivery, { options, storage }).catch((error: unknown) => {
    if (!(error instanceof LonghaulError && error.code === 'session_busy')) throw error;
    return reportTaken(options);
  });
}

async function carryOut(
  plan: RunPlan,
  { options, storage }: { options: RunTaskOptions; storage: HeldStorage },
): Promise<number> {
  if (plan.action === 'nothing' || plan.action === 'queue') return reportNothing(plan.session, options);
  if (plan.action === 'resume' && plan.isChosen) await reportChosen(plan.session, { options, storage });
  const { config } = plan.settings;
  let display: RunDisplay | undefined;
  const asking: Run['asking'] = { pause: () => undefined };
  const agent = await openAgent({
    config,
    changed: storage.opened.then(({ store }) => changedConfig(plan.settings, store)),
    model: plan.model,
    agent: plan.agent,
    storage: storage.opened,
    env: options.terminal.env,
    signal: options.signal,
    ask: plan.ask,
    window: plan.window,
    notices: trustEvents(plan.settings.project, plan.settings.trustAnswer),
    confirmEnded: (left) => confirmEnded(left, { ...options, pause: () => asking.pause() }),
    onSandbox: (sandbox, { id }) => {
      // A child with a copy of the files has a sandbox of its own.
      if (display === undefined || id !== session.id) return;
      const task = taskOf(plan) ?? session.task;
      display.header(headerOf(agent, { sandbox, session, task, baseUrl: plan.address }));
    },
  });
  // Before a session is created. Later messages are checked when they are queued.
  requireAccepted(plan.content, agent.driver.info);
  await using _connected = { [Symbol.asyncDispose]: () => agent.runtime.stop() };
  await using _telemetry = await openTelemetry(config.telemetry.otlp, agent.runtime);
  using _watchdog = watchMainThread(agent.runtime);
  if (plan.action === 'wait') {
    const { session, content } = plan;
    const { store } = await storage.opened;
    const origin = await originFrom(store, options.from, session);
    const message = { origin, id: options.messageId };
    return await waitForAnswer(agent.runtime, { session, content, options, message });
  }
  const session = await openSession(plan, { agent, storage });
  const run = { plan, agent, session, asking };
  const { content } = plan;
  let ended = await showing(options, run, (shown) => {
    display = shown;
    return content.length === 0
      ? resumeSession(agent.runtime, shown, { session, options })
      : drive(agent, shown, { ...options, session, content });
  });
  display = undefined;
  while (ended.next !== undefined) ended = await continueWith(ended.next, { options, run });
  // The live lines are gone: the notice stays below what was typed and not sent.
  if (options.display === 'progress') {
    const resumeCommand = plan.resumeCommand(session.id);
    await reportQueue(agent.runtime.queue, { ...options, session, resumeCommand });
  }
  return ended.exitCode;
}

interface Run {
  plan: AgentPlan;
  agent: Agent;
  session: Session;
  /** Leaves the terminal to a question, once the run is shown. */
  asking: { pause: () => Disposable | undefined };
}

interface EndedRun {
  exitCode: number;
  next?: NextMessage;
}

/** Runs the session again for what was typed at the end of its run. */
async function continueWith(
  next: NextMessage,
  { options, run }: { options: RunTaskOptions; run: Run },
): Promise<EndedRun> {
  const { agent, session } = run;
  const draft = next.kind === 'queued' ? next.draft : undefined;
  const work = (shown: RunDisplay) =>
    next.kind === 'queued'
      ? resumeSession(agent.runtime, shown, { session, options })
      : drive(agent, shown, { ...options, session, content: [{ type: 'text', text: next.text }] });
  return await showing(options, run, work, draft);
}

/** Names the session that is resumed if the command named none. */
async function reportChosen(
  session: Session,
  { options: { terminal, display }, storage }: { options: RunTaskOptions; storage: HeldStorage },
): Promise<void> {
  if (display === 'events') return;
  const state = await sessionState((await storage.opened).store, session);
  const text = `Resuming ${shortId(session.id)} "${fitLine(session.title, 60)}": ${state}, last used ${age(Date.now() - session.updatedAt)} ago.`;
  terminal.err.write(wrapText(text.replace('just now ago', 'just now'), columnsOf(terminal.err)));
}

function taskOf(plan: AgentPlan): string | undefined {
  return plan.action === 'resume' ? undefined : plan.task;
}

/** The session of the run: a new one, or the earlier one with the model and the agent that continue it. */
async function openSession(
  plan: Exclude<AgentPlan, { action: 'wait' }>,
  { agent, storage }: { agent: Agent; storage: HeldStorage },
): Promise<Session> {
  const { store } = await storage.opened;
  const model = nameOf(plan.model);
  const named = plan.keepsAgent ? plan.agent : undefined;
  const session =
    plan.action === 'start'
      ? await createSession(plan, { agent, model, named })
      : await updated(store, plan.session, { model, agent: named });
  if (plan.keepsAddress) await keepAddress(store, session.id, plan.model);
  return session;
}

async function updated(
  store: Store,
  session: Session,
  { model, agent }: { model: string; agent: string | undefined },
): Promise<Session> {
  const isSame = session.model === model && (agent === undefined || agentNameOf(session) === agent);
  if (isSame) return session;
  const metadata = agent === undefined ? undefined : { agent };
  return store.updateSession(session.id, { model, metadata });
}

/** Shows the run while it works. At a terminal, queues what is typed and asks about calls that need approval. */
async function showing(
  options: RunTaskOptions,
  { plan, agent, session, asking }: Run,
  work: (shown: RunDisplay) => Promise<number>,
  draft?: string,
): Promise<EndedRun> {
  const resumeCommand = plan.resumeCommand(session.id);
  const markdown = await loadMarkdown(options.terminal, options);
  const sessionId = session.id;
  using shown = showRun(agent.runtime, options.terminal, { ...options, sessionId, resumeCommand, markdown });
  options.onDisplay?.(shown);
  using typing = await readTyping(options, { agent, shown, session, draft });
  asking.pause = () => pauseBoth(shown, typing);
  using _asker =
    plan.ask === 'wait' ? await askForApprovals(options, { agent, shown, session, typing }) : undefined;
  const exitCode = await work(shown);
  const isCompleted = shown.finished?.status === 'completed';
  if (typing === undefined) return { exitCode };
  const { queue } = agent.runtime;
  return {
    exitCode,
    next: await nextMessage(typing, { queue, sessionId: session.id, signal: options.signal, isCompleted }),
  };
}

/** Undefined unless a person sees the run and can type. */
async function readTyping(
  { terminal }: RunTaskOptions,
  {
    agent,
    shown,
    session,
    draft,
  }: { agent: Agent; shown: RunDisplay; session: Session; draft: string | undefined },
): Promise<TypeAhead | undefined> {
  const { live } = shown;
  if (live === undefined || terminal.input.isTTY !== true) return undefined;
  const { typeAhead } = await import('./type-ahead.ts');
  return typeAhead({ terminal, live, queue: agent.runtime.queue, sessionId: session.id, draft });
}

async function askForApprovals(
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

/** Leaves the terminal to a question until the result is disposed. */
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
    server: baseUrl === undefined ? undefined : withoutQuery(baseUrl),
    window: `window ${formatTokens(window.windowTokens)} (${window.source})`,
    sandbox: sandbox.description,
    workspace: session.workspace,
  };
}

/** A query may hold a key, so it is not shown. */
function withoutQuery(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}

/** Returns the exit code of a run that has begun. Throws if it could not begin. */
export async function drive(
  { runtime }: { runtime: Agent['runtime'] },
  shown: RunDisplay,
  {
    session,
    content,
    signal,
    terminal,
  }: {
    session: Session;
    content: readonly UserMessageContentPart[];
    signal: AbortSignal;
    terminal: Terminal;
  },
): Promise<number> {
  try {
    const result = await runtime.run(session.id, { content, signal });
    if (shown.finished === undefined) reportAnswer(result, terminal);
    return exitCodeOf(shown.finished ?? result);
  } catch (error) {
    // A run whose end is stored has been shown with its reason.
    if (shown.finished === undefined) throw error;
    return exitCodeOf(shown.finished);
  }
}

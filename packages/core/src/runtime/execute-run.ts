import { childPlaceOf, isOfRunningCall, type Session, shownModel } from '@longhaul/protocol';
import type { SessionContext } from '../context/session-context.ts';
import { KeptOutputs } from '../executor/kept-outputs.ts';
import { NO_LIMITS } from '../executor/limits/run-limits.ts';
import { meteredDriver } from '../executor/metering/metered-driver.ts';
import { DEFAULT_RETRY } from '../executor/model-call/retry.ts';
import { withoutTools } from '../executor/offered-tools.ts';
import { RunHooks } from '../executor/run-hooks.ts';
import type { FileRecording } from '../executor/step-files.ts';
import type { TitleSettings } from '../executor/title/session-title.ts';
import { TurnExecutor } from '../executor/turn-executor.ts';
import type { KeptLedgers } from '../executor/window/kept-ledgers.ts';
import type { Contacts, ModelDriver, Sandbox, Tool } from '../ports/index.ts';
import { maxInstructionChars } from '../prompt/instruction-files.ts';
import type { ApprovalService } from '../session/approvals/approval-service.ts';
import { SessionContacts, type SessionContactsOptions } from '../session/contacts/session-contacts.ts';
import { DueHooks } from '../session/due-hooks.ts';
import type { EventHub } from '../session/events/event-hub.ts';
import { loadFilesState, saveFilesState } from '../session/files/files-state.ts';
import type { SessionCopies } from '../session/files/session-copies.ts';
import type { MessageQueueService } from '../session/messages/message-queue-service.ts';
import { createProcessRecorder } from '../session/runs/process-recorder.ts';
import type { ExecutorResult } from '../session/runs/run-result.ts';
import type { RunWork } from '../session/runs/session-runs.ts';
import { createSessionHistory } from '../session/session-history.ts';
import { loadSkillsInUse, saveSkillsInUse } from '../session/skills-in-use.ts';
import type { ChildSessions } from '../session/subtasks/child-sessions.ts';
import type { Families } from '../session/subtasks/families.ts';
import { borrowSandbox } from './borrowed-sandbox.ts';
import { connectTools, type RunTools } from './connect-tools.ts';
import { inSandbox } from './in-sandbox.ts';
import { openBackground } from './open-background.ts';
import { prepareWorkspace } from './prepare-workspace.ts';
import { RunSystem } from './run-system.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';
import { withSkills } from './session-skills.ts';
import type { Spending } from './spending.ts';
import { unfitSettings } from './unfit-settings.ts';

export interface RunParts {
  options: RuntimeOptions;
  agent: RunAgent;
  instructionFiles: readonly string[];
  approvals: ApprovalService;
  context: SessionContext;
  ledgers: KeptLedgers;
  families: Families;
  children: ChildSessions;
  copies: SessionCopies;
  hub: EventHub;
  queue: MessageQueueService;
  spending: Spending;
}

/** Executes a run of a held session to its end, in a new sandbox. */
export async function executeRun(work: RunWork, parts: RunParts): Promise<ExecutorResult> {
  const { openSandbox, store } = parts.options;
  const arrivalNote = await prepareWorkspace(work, parts);
  const record = createProcessRecorder(store, work.writer.lease);
  const family = parts.families.linkOf(work.session.id);
  return await inSandbox(
    async () =>
      family === undefined || childPlaceOf(work.session)?.files === 'own'
        ? await openSandbox(work.session, work.signal, record)
        : borrowSandbox(family.sandbox),
    (sandbox) => executeIn({ ...work, sandbox, arrivalNote }, parts),
  );
}

/** A run in its sandbox. */
interface PlacedWork extends RunWork {
  sandbox: Sandbox;
  /** For the model: the session has come from another machine. */
  arrivalNote: string | undefined;
}

async function executeIn(work: PlacedWork, parts: RunParts): Promise<ExecutorResult> {
  const { options, approvals } = parts;
  for (const message of unfitSettings(work.driver, parts.agent.compression ?? options.compression))
    await work.writer.announce({ type: 'context:warning', message });
  const { info } = work.driver;
  if (info.withoutTools !== undefined) {
    const problem = `${shownModel(`${info.provider}/${info.model}`)} cannot call tools. ${info.withoutTools}`;
    await work.writer.announce(withoutTools(problem));
  }
  await closeLostQuestions(work.session.id, approvals);
  using connected = await connectTools(work, options, parts.agent);
  const tools = [...parts.agent.tools, ...connected.tools];
  const agent = { ...parts.agent, tools, toolsText: connected.systemText };
  const executor = await createExecutor({ ...work, connected }, { ...parts, agent });
  return await executor.run();
}

/** A server that asked in an earlier run no longer waits for the answer. */
async function closeLostQuestions(sessionId: string, approvals: ApprovalService): Promise<void> {
  for (const open of await approvals.list(sessionId, { open: true })) {
    if (isOfRunningCall(open)) await approvals.refuse(open, 'the run ended before an answer');
  }
}

async function createExecutor(
  {
    session,
    driver: unmetered,
    writer,
    sandbox,
    arrivalNote,
    connected,
    signal,
    drain,
  }: PlacedWork & { connected: RunTools },
  {
    options,
    agent: plain,
    instructionFiles,
    approvals,
    context,
    ledgers,
    families,
    children,
    copies,
    hub,
    queue,
    spending,
  }: RunParts,
): Promise<TurnExecutor> {
  const budgets = spending.ofSession(session, async (event) => await writer.announce(event));
  const driver = meteredDriver(unmetered, budgets);
  const { agent, skills } = await withSkills(plain, session, options);
  const { store, blobs, costOf, maxToolOutputChars, rawToolResults, keptOutput } = options;
  const { approverFor, retry = DEFAULT_RETRY } = options;
  const { compression = options.compression, limits = options.limits ?? NO_LIMITS } = agent;
  const { windowTokens } = driver.info;
  const other = await summariserOf(session, { agent, options, driver: unmetered, signal });
  const summariser = other && (other === unmetered ? driver : meteredDriver(other, budgets));
  const hooks = await runHooks(session, { options, writer, sandbox, signal });
  const system = new RunSystem({
    agent: driver.info.withoutTools === undefined ? agent : { ...agent, tools: [] },
    sandbox,
    writer,
    store,
    blobs,
    windowTokens,
    skills: skills?.skills ?? [],
    instructionFiles,
    outsideInstructions: async () => (await options.outsideInstructions?.(session.workspace)) ?? [],
  });
  return new TurnExecutor({
    hooks,
    writer,
    driver,
    title: titleSettings(session, { options, driver: summariser }),
    sandbox,
    background: await openBackground(session, {
      ...options,
      sandbox,
      messages: writer.log.messages,
      announce: async (event) => await writer.announce(event),
    }),
    contacts: options.talk && contactsOf(session, { store, queue, talk: options.talk, writer }),
    blobs,
    family: families.linkOf(session.id),
    subtasks: options.subtasks && {
      session,
      settings: options.subtasks,
      children,
      store,
      copies,
      hub,
      checkModel: (model) => options.driverFor(model, signal),
    },
    compression,
    limits,
    budgets,
    retry,
    signal,
    drain,
    tools: agent.tools,
    readNamed: connected.readNamed,
    // A model that cannot call tools has none.
    ...(driver.info.withoutTools === undefined && {
      renewTools: async () => await renewTools(connected, { agent, system }),
    }),
    history: createSessionHistory({ store, blobs, sessionId: session.id }),
    approver: approverFor({ service: approvals, writer, sandbox, drain }),
    costOf: (usage) => costOf?.(usage, driver),
    environment: system,
    skills: skills && {
      source: skills,
      used: loadSkillsInUse(session),
      save: (names) => saveSkillsInUse(store, session.id, names),
      maxChars: maxInstructionChars(windowTokens),
    },
    takeCompactionRequest: () => context.takeRequest(session.id),
    summariser,
    ledgers,
    maxToolOutputChars,
    rawToolResults,
    askOpenItems: options.askOpenItems,
    budgetNotes: options.budgetNotes,
    files: await fileRecording(session, options),
    arrivalNote,
    keptOutputs: keptOutput && new KeptOutputs({ store, blobs, writer, limit: keptOutput }),
  });
}

/** A child session reports to its parent, and writes to nobody else. */
function contactsOf(
  session: Session,
  { writer, ...parts }: Pick<SessionContactsOptions, 'store' | 'queue' | 'talk'> & Pick<RunWork, 'writer'>,
): Contacts | undefined {
  if (session.parentId !== undefined) return undefined;
  return new SessionContacts({ ...parts, session, messages: () => writer.log.messages });
}

/** Returns the tools of the agent with the connected ones as they are now. Undefined if these have not changed. */
async function renewTools(
  connected: RunTools,
  { agent, system }: { agent: RunAgent; system: RunSystem },
): Promise<readonly Tool[] | undefined> {
  const renewed = await connected.renew?.();
  if (renewed === undefined) return undefined;
  const own = agent.tools.filter((tool) => !connected.tools.includes(tool));
  const tools = [...own, ...renewed.tools];
  system.replaceTools({ tools, toolsText: renewed.systemText });
  return tools;
}

function titleSettings(
  session: Session,
  { options, driver }: { options: RuntimeOptions; driver: ModelDriver | undefined },
): TitleSettings {
  const { store, costOf, titles = false } = options;
  // The parent has named its children by their prompts.
  const mayAsk = titles && session.parentId === undefined;
  return {
    session,
    model:
      mayAsk && driver !== undefined ? { driver, costOf: (usage) => costOf?.(usage, driver) } : undefined,
    save: (patch) => store.updateSession(session.id, patch),
  };
}

/** Returns the driver that writes a session's narratives; undefined for none. */
export async function summariserOf(
  { model }: Pick<Session, 'model'>,
  {
    agent,
    options,
    driver,
    signal,
  }: { agent: RunAgent; options: RuntimeOptions; driver?: ModelDriver; signal: AbortSignal },
): Promise<ModelDriver | undefined> {
  const { driverFor, summariserFor } = options;
  if (agent.summariser === null) return undefined;
  if (agent.summariser !== undefined) return driverFor(agent.summariser, signal);
  if (summariserFor !== undefined) return summariserFor(model, signal);
  return driver ?? driverFor(model, signal);
}

async function runHooks(
  session: Session,
  {
    options,
    writer,
    ...context
  }: Pick<RunParts, 'options'> & Pick<RunWork, 'writer' | 'signal'> & { sandbox: Sandbox },
): Promise<RunHooks | undefined> {
  const hooks = (await options.hooksFor?.(session)) ?? [];
  if (hooks.length === 0) return undefined;
  const due = new DueHooks(options.store, session);
  return new RunHooks({ hooks, writer, due, context: { ...context, session } });
}

async function fileRecording(
  session: Session,
  { store, fileTrees, recordsFiles = true }: RuntimeOptions,
): Promise<FileRecording | undefined> {
  if (fileTrees === undefined || !recordsFiles) return undefined;
  return {
    state: await loadFilesState(store, session.id),
    open: (tree) => fileTrees.openRecorder(session.workspace, tree),
    save: (state) => saveFilesState(store, session.id, state),
  };
}

import type { MessageOrigin } from '@longhaul/protocol';
import { BackgroundNote } from './background/background-note.ts';
import { CompactionHooks } from './compaction-hooks.ts';
import { EnvironmentNote } from './environment-note.ts';
import { RunAccount } from './limits/run-account.ts';
import { RunClock } from './limits/run-clock.ts';
import { reachedLimit } from './limits/run-limits.ts';
import { MessageTaker } from './message-taker.ts';
import { ModelCaller } from './model-call/model-caller.ts';
import { ModelForTools } from './model-for-tools.ts';
import { OfferedTools } from './offered-tools.ts';
import { RefusedContent } from './refused-content.ts';
import { RunFinisher } from './run-finisher.ts';
import { SkillNote } from './skill-note.ts';
import { StepFiles } from './step-files.ts';
import { StepOutcomeHandler } from './step-outcome-handler.ts';
import { RunSubtasks } from './subtasks/run-subtasks.ts';
import { SessionTitle } from './title/session-title.ts';
import { ToolRunner } from './tool-runner.ts';
import type { TurnExecutorOptions } from './turn-executor-options.ts';
import { UnfinishedWork } from './unfinished-work.ts';
import { AskedCompaction } from './window/asked-compaction.ts';
import { BudgetNote } from './window/budget-note.ts';
import { Compactor } from './window/compactor.ts';
import { ContextWindow } from './window/context-window.ts';
import { CountedDecision } from './window/counted-decision.ts';
import { WindowControl } from './window/window-control.ts';

/** The collaborators of one `TurnExecutor`. */
export interface ExecutorParts {
  /** Aborts when the caller's signal does, and at the time limit: a model call that hangs cannot outlast the limit. */
  signal: AbortSignal;
  clock: RunClock;
  account: RunAccount;
  taker: MessageTaker;
  offered: OfferedTools;
  window: ContextWindow;
  decision: CountedDecision;
  compactor: Compactor;
  /** Undefined: the model has no part in decisions about its context. */
  askedCompaction: AskedCompaction | undefined;
  budgetNote: BudgetNote | undefined;
  /** Undefined: the session has no hooks. */
  compactionHooks: CompactionHooks | undefined;
  refusedContent: RefusedContent;
  environmentNote: EnvironmentNote;
  skillNote: SkillNote;
  backgroundNote: BackgroundNote;
  stepFiles: StepFiles;
  caller: ModelCaller;
  toolRunner: ToolRunner;
  outcomeHandler: StepOutcomeHandler;
  finisher: RunFinisher;
  /** Undefined: the session can have no children. */
  subtasks: RunSubtasks | undefined;
  /** Returns the limit of this run, or of its parent, that is reached. */
  reachedLimit: () => string | undefined;
  title: SessionTitle;
}

/** Creates the collaborators and connects them. The run's clock starts here. */
export function createExecutorParts(options: TurnExecutorOptions): ExecutorParts {
  const { writer, driver, summariser, tools, blobs, approver, limits, costOf } = options;
  const { family } = options;
  const clock = new RunClock(limits.minutes, family?.clock);
  const signal = AbortSignal.any([options.signal, clock.signal]);
  const account = new RunAccount(costOf, clock, family?.account);
  const reached = () => reachedLimit(limits, account.progress) ?? family?.reachedLimit();
  const offered = new OfferedTools({ tools, model: driver.info.model, messages: () => writer.log.messages });
  if (driver.info.withoutTools !== undefined) offered.withhold();
  const subtasks =
    options.subtasks &&
    new RunSubtasks({
      ...options.subtasks,
      writer,
      link: { sandbox: options.sandbox, account, clock, reachedLimit: reached },
      toolNames: () => offered.names,
      cancelSignal: options.signal,
    });
  const { hooks } = options;
  const judge = async (prompt: string, origins: MessageOrigin[]) =>
    await hooks?.run({ on: 'prompt.submit', prompt, ...(origins.length > 0 && { origins }) });
  const taker = new MessageTaker({
    writer,
    blobs,
    readNamed: options.readNamed,
    judge: hooks?.has('prompt.submit') === true ? judge : undefined,
    signal,
  });
  const window = new ContextWindow({
    writer,
    driver,
    blobs,
    settings: options.compression,
    tools: () => offered.schemas,
    protectedTools: new Set(tools.filter((tool) => tool.isProtected === true).map((tool) => tool.name)),
    summariser,
    ledgers: options.ledgers,
  });
  const decision = new CountedDecision({ window, driver, blobs, tools: () => offered.schemas });
  const findTool = (name: string) => offered.findAny(name);
  const environmentNote = new EnvironmentNote(writer, options.environment);
  const skillNote = new SkillNote(writer, options.skills);
  const backgroundNote = new BackgroundNote(writer, options.background);
  const stepFiles = new StepFiles({
    writer,
    recording: options.files,
    arrivalNote: options.arrivalNote,
    mayWrite: (name) => findTool(name)?.isReadOnly !== true,
    childrenHaveWorked: () => subtasks?.takeWorked() === true,
  });
  const compactionHooks = hooks && new CompactionHooks({ hooks, due: hooks.due, writer });
  const compactor = new Compactor({
    writer,
    window,
    beforeCompaction: async (reason) => {
      await stepFiles.settle();
      return await compactionHooks?.before(reason);
    },
    afterCompaction: async () => await compactionHooks?.after(),
    buildSystem: async () => {
      const renewed = await options.renewTools?.();
      if (renewed !== undefined) offered.replace(renewed);
      environmentNote.afterCompaction();
      skillNote.afterCompaction();
      return await options.environment.renew();
    },
    onUsage: (usage) => account.addUsage(usage),
    takeCompactionRequest: options.takeCompactionRequest,
  });
  const control =
    options.budgetNotes === false ? undefined : new WindowControl(window, options.compression.auto);
  const askedCompaction = control && new AskedCompaction({ writer, control, compactor });
  const budgetNote = control && new BudgetNote({ writer, window, control, findTool });
  const caller = new ModelCaller({
    writer,
    driver,
    acceptsInput: (name, input) => offered.find(name)?.parse(input).ok === true,
    toolNamed: (name) => offered.find(name)?.name,
    blobs,
    retry: options.retry,
    costOf,
    onCancelledAnswer: (text) => {
      if (text !== '') account.text = text;
    },
  });
  const toolRunner = new ToolRunner({
    writer,
    sandbox: options.sandbox,
    blobs,
    history: options.history,
    todoList: () => unfinishedWork.todoList(),
    context: control,
    approver,
    model: new ModelForTools({ driver, writer, approver, account, limits, clock, costOf }),
    background: options.background,
    subtasks,
    contacts: options.contacts,
    hooks: options.hooks,
    clock,
    drain: options.drain,
    offered,
    maxOutputChars: options.maxToolOutputChars,
    addsRawResults: options.rawToolResults,
    keptOutputs: options.keptOutputs,
  });
  const unfinishedWork = new UnfinishedWork({
    writer,
    findTool,
    hiddenTodoList: () => window.todoList(),
    mayContinue: () => !signal.aborted && options.drain?.aborted !== true && reached() === undefined,
    isEnabled: options.askOpenItems,
  });
  const title = new SessionTitle({ settings: options.title, writer, account, signal });
  const outcomeHandler = new StepOutcomeHandler({
    writer,
    unfinishedWork,
    window,
    compactor,
    account,
    toolRunner,
    stepFiles,
    title,
    environmentNote,
    skillNote,
    hooks: options.hooks,
    findTool,
    approver,
    signal,
    repeatedCalls: limits.repeatedCalls,
  });
  const finisher = new RunFinisher({ writer, account, window, unfinishedWork });
  const refusedContent = new RefusedContent({ writer, driver });
  const parts = {
    signal,
    clock,
    account,
    taker,
    offered,
    window,
    decision,
    compactor,
    askedCompaction,
    budgetNote,
    compactionHooks,
    refusedContent,
    environmentNote,
    skillNote,
    backgroundNote,
    stepFiles,
    caller,
    subtasks,
    reachedLimit: reached,
  };
  return { ...parts, toolRunner, outcomeHandler, finisher, title };
}

import type { AskMode } from '@longhaul/approvals';
import { agentNameOf, type ConfigInput, type ResolvedModel } from '@longhaul/config';
import { drivingRun, isNothingToResume, type Store } from '@longhaul/core';
import type { GitSource, Session, UserMessageContentPart, WorkspaceSource } from '@longhaul/protocol';
import type { TypedInput } from '../attach/attach-files.ts';
import { attachments } from '../attach/attachments.ts';
import { chooseModel, type ModelChoice } from '../compose/choose-model.ts';
import type { Place, Settings } from '../compose/load-settings.ts';
import type { HeldStorage } from '../compose/open-storage.ts';
import { requireLocal } from '../compose/require-local.ts';
import { sessionAddress } from '../compose/session-address.ts';
import { isImportedModel } from '../import/imported-model.ts';
import { chooseSession, chooseUnfinished, type SessionCommand } from '../session/choose-session.ts';
import { requireFolderOrSource } from '../session/require-folder.ts';
import { requireOwnFilesOutside } from '../session/require-own-files-outside.ts';
import type { Terminal } from '../terminal.ts';
import { resumeCommand } from './resume-command.ts';
import type { Display } from './show-run.ts';

/** What the flags and the command ask for. */
export interface RunRequest {
  /** Undefined: resumes `session`, or the newest session of this workspace that can be resumed. */
  task?: string;
  /** What of the task a person typed: its mentions of files are attached. */
  input?: TypedInput;
  /** Waits for the answer if another process works on the session. Default: only queues the message. */
  isWaiting?: boolean;
  /** Sends the task to `session` and waits for the answer, whether or not a process works on it. */
  isSending?: boolean;
  flags: ConfigInput;
  place: Place;
  choice: ModelChoice;
  /** Tokens of the model's window. */
  window?: number;
  /** The repository in which a new session works. Default: it works in the folder of the command. */
  git?: GitSource;
  /** The session to continue or resume: its id, the beginning of it, or `last`. */
  session?: string;
  /** `--all`: sessions of every folder are meant. */
  all?: boolean;
  /** The command as it was typed, without `longhaul`. */
  typed: readonly string[];
  /** The flags that a command repeats to resume this run. */
  resumeFlags: readonly string[];
  /** The agent that works. Default: the session's own, then the default one. */
  agent?: string;
  /** Allows every call that an approval rule asks about. */
  acceptAll?: boolean;
  /** `--assume-ended`: continues although a command of an earlier run may still run. */
  assumeEnded?: boolean;
  display: Display;
  terminal: Terminal;
}

/** What a run does, decided before it begins. */
export type RunPlan = IdlePlan | AgentPlan;

/** No model is called: another process delivers the message, or the session needs nothing. */
export type IdlePlan =
  | { action: 'queue'; session: Session; content: UserMessageContentPart[] }
  /** Undefined: no session of this workspace can be resumed. */
  | { action: 'nothing'; session: Session | undefined };

/** What the agent works on. */
type Work =
  /** `source`: the session gets a folder of its own. The paths of the task are those of `workspace`. */
  | { action: 'start'; workspace: string; task: string; source?: WorkspaceSource }
  | { action: 'continue'; session: Session; task: string }
  /** `isChosen`: it was not named, but is the newest that can be resumed. */
  | { action: 'resume'; session: Session; isChosen: boolean }
  /** Sends a message to the process that works on the session, and waits for its answer. */
  | { action: 'wait'; session: Session; task: string };

export type AgentPlan = Work & AgentSetup;

/** The agent of a run. Its sandbox, limits and strategy are those of the settings, which include the flags. */
export interface AgentSetup {
  settings: Settings;
  model: ResolvedModel;
  /** Address of the model, if it is not the configured one. */
  address?: string;
  /** `--base-url` was given: the session keeps its address. */
  keepsAddress: boolean;
  agent: string;
  /** `--agent` was given: the session keeps its agent. */
  keepsAgent: boolean;
  window?: number;
  ask: AskMode;
  /** The message of the run. Empty: an earlier session is resumed. */
  content: UserMessageContentPart[];
  /** The command that resumes a session of this run. */
  resumeCommand: (sessionId: string) => string;
}

interface Context {
  settings: Settings;
  storage: HeldStorage;
}

/** Decides what a run does. Opens the store only for an earlier session. */
export async function planRun(request: RunRequest, context: Context): Promise<RunPlan> {
  const work = await planWork(request, context);
  if (work.action === 'nothing') return work;
  requireLocal(context.settings.config.sandbox);
  const workspace = work.action === 'start' ? work.workspace : work.session.workspace;
  const content = await contentOf(request, workspace);
  if (work.action === 'queue') return { action: work.action, session: work.session, content };
  await requireOwnFilesOutside(workspace, { config: context.settings.config, env: request.terminal.env });
  return { ...work, content, ...(await setUpAgent(work, { request, context })) };
}

async function contentOf({ task, input }: RunRequest, workspace: string): Promise<UserMessageContentPart[]> {
  if (task === undefined) return [];
  return [...taskParts(task, input?.text.trim()), ...(await attachments(input, workspace))];
}

/** What was typed is a part of its own, because only there `@` names something. */
function taskParts(task: string, typed: string | undefined): UserMessageContentPart[] {
  if (typed === undefined || typed === '' || !task.startsWith(typed)) return [{ type: 'text', text: task }];
  const rest = task.slice(typed.length);
  return [{ type: 'text', text: typed }, ...(rest === '' ? [] : [{ type: 'text' as const, text: rest }])];
}

/** The message goes to the process that works on the session. */
type Queueing = { action: 'queue'; session: Session };
type Nothing = Extract<IdlePlan, { action: 'nothing' }>;

async function planWork(
  request: RunRequest,
  { settings, storage }: Context,
): Promise<Work | Queueing | Nothing> {
  const { task, session: named, isSending = false } = request;
  if (named === undefined && task !== undefined)
    return {
      action: 'start',
      workspace: settings.workspace,
      task,
      source: request.git && { git: request.git },
    };
  const { store } = await storage.opened;
  const { all, typed, terminal } = request;
  const json = request.display === 'events';
  const command: SessionCommand = { settings, all, typed, terminal, json, access: 'change' };
  if (named === undefined) {
    const session = await chooseUnfinished(store, command);
    if (session !== undefined) await requireFolderOrSource(session);
    return session === undefined
      ? { action: 'nothing', session }
      : { action: 'resume', session, isChosen: true };
  }
  const session = await chooseSession(store, named, command);
  await requireFolderOrSource(session);
  if (task === undefined) {
    if (await isNothingToResume(store, session.id)) return { action: 'nothing', session };
    return { action: 'resume', session, isChosen: false };
  }
  const isBusy = (await drivingRun(store, session.id)) !== undefined;
  if (!isBusy && !isSending) return { action: 'continue', session, task };
  return { action: isSending || request.isWaiting === true ? 'wait' : 'queue', session, task };
}

async function setUpAgent(
  work: Work,
  { request, context }: { request: RunRequest; context: Context },
): Promise<Omit<AgentSetup, 'content'>> {
  const { settings } = context;
  const earlier = 'session' in work ? work.session : undefined;
  const agent = request.agent ?? agentNameOf(earlier ?? {});
  const choice = await knownChoice(earlier, { choice: request.choice, context });
  return {
    settings,
    model: await chooseModel(
      settings.config,
      { ...choice, agent, isAddressGiven: request.choice.baseUrl !== undefined },
      request.terminal.env,
    ),
    address: choice.baseUrl,
    keepsAddress: request.choice.baseUrl !== undefined,
    agent,
    keepsAgent: request.agent !== undefined,
    window: request.window,
    ask: askMode(request),
    resumeCommand: await resumeCommand(request, { settings, workspace: earlier?.workspace }),
  };
}

async function knownChoice(
  earlier: Session | undefined,
  { choice, context: { settings, storage } }: { choice: ModelChoice; context: Context },
): Promise<ModelChoice> {
  return earlier === undefined
    ? choice
    : sessionChoice(earlier, { choice, settings, store: (await storage.opened).store });
}

/** The model and address that the flags name; where they name none, those of the session. */
export async function sessionChoice(
  earlier: Session | undefined,
  { choice, settings, store }: { choice: ModelChoice; settings: Settings; store: Store },
): Promise<ModelChoice> {
  const model = choice.model ?? (earlier && !isImportedModel(earlier.model) ? earlier.model : undefined);
  if (earlier === undefined || model === undefined) return choice;
  const baseUrl = choice.baseUrl ?? (await sessionAddress(store, { id: earlier.id, model }, settings));
  return { ...choice, model, baseUrl };
}

/** A person is asked if they see the run and can type. */
function askMode({ acceptAll = false, display, terminal }: RunRequest): AskMode {
  if (acceptAll) return 'allow';
  const canAnswer = display === 'progress' && terminal.out.isTTY === true && terminal.input.isTTY === true;
  return canAnswer ? 'wait' : 'deny';
}

import {
  ACCESS_KEY,
  type ChildPlace,
  childMetadata,
  childPlaceOf,
  GIT_START_KEY,
  LonghaulError,
  MACHINE_KEY,
  machineOf,
  type Session,
} from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';
import { draftSession } from '../draft-session.ts';
import type { EventFollower } from '../events/event-follower.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { SessionCopies } from '../files/session-copies.ts';
import { currentClaimant } from '../leases/lease-owner.ts';
import { nextChange } from '../leases/next-change.ts';
import type { MessageQueueService } from '../messages/message-queue-service.ts';
import { cancelled, interruptionOf } from '../runs/interruption.ts';
import { OutcomeReader } from '../runs/outcome-reader.ts';
import type { ExecutorResult } from '../runs/run-result.ts';
import type { SessionRuns } from '../runs/session-runs.ts';
import { ifBusy } from '../session-errors.ts';
import { derivedId } from './derived-id.ts';
import type { Families, FamilyLink } from './families.ts';
import { descendantIds } from './family-tree.ts';

export interface ChildSessionsOptions {
  store: Store;
  hub: EventHub;
  follower: EventFollower;
  queue: MessageQueueService;
  runs: SessionRuns;
  families: Families;
  /** Copies the workspace for children with files of their own. */
  copies: () => SessionCopies;
}

/** A child before it exists. */
export interface ChildDraft {
  parent: Session;
  /** The message and the index of the part that contains the call. */
  messageId: string;
  partIndex: number;
  callId: string;
  prompt: string;
  agent: string;
  model: string;
  place: ChildPlace;
}

/** Interval of checks in addition to those after changes in the store. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Creates the children of sessions and runs them. All ids derive from the call that starts a child, so whoever runs the
 * call again, in any process, finds the child, its task and its outcome.
 */
export class ChildSessions {
  readonly #options: ChildSessionsOptions;

  constructor(options: ChildSessionsOptions) {
    this.#options = options;
  }

  /** Returns the child of the call, which has its task. Creates it if it does not exist. */
  async begin(draft: ChildDraft): Promise<{ child: Session; isNew: boolean }> {
    const { store } = this.#options;
    const id = derivedId(draft.messageId, `child of part ${draft.partIndex}`);
    const known = await store.getSession(id);
    if (known !== undefined) {
      await this.#sendTask(known, draft.prompt);
      return { child: known, isNew: false };
    }
    const { parent, prompt, agent, model, place, callId } = draft;
    const git = parent.metadata?.[GIT_START_KEY];
    const access = parent.metadata?.[ACCESS_KEY];
    const machine = machineOf(parent);
    const metadata = {
      ...childMetadata(place),
      agent,
      ...(git !== undefined && { [GIT_START_KEY]: git }),
      ...(access !== undefined && { [ACCESS_KEY]: access }),
      ...(machine !== undefined && { [MACHINE_KEY]: machine }),
    };
    const workspace = await this.#workspaceOf(id, draft);
    const session = draftSession({ id, workspace, model, task: prompt, metadata });
    const child = await store.createSession({ ...session, parentId: parent.id, parentCallId: callId });
    await this.#sendTask(child, prompt);
    return { child, isNew: true };
  }

  async #workspaceOf(id: string, { parent, place }: ChildDraft): Promise<string> {
    if (place.files === 'shared') return parent.workspace;
    return (await this.#options.copies().make(parent, id)).workspace;
  }

  /**
   * Sends the child its task, unless it has it, and runs the child until its outcome is stored. If another process runs
   * the child, waits for it. A run that was interrupted is continued.
   *
   * @param options.signal Cancels the child, or interrupts it if that is the signal's reason. Then waits until it has
   * stopped.
   * @throws {LonghaulError} `cancelled`; `interrupted` if the program stops; errors of starting a run.
   */
  async drive(
    child: Session,
    prompt: string,
    { link, signal }: { link: FamilyLink; signal: AbortSignal },
  ): Promise<ExecutorResult> {
    const { store, follower, families } = this.#options;
    using _link = families.connect(child.id, link);
    const waitBeganAt = await store.lastEventNumber(child.id);
    const { id, eventNumber } = await this.#sendTask(child, prompt);
    await using _follow = await follower.follow(child.id);
    const sent = { id, eventNumber, waitBeganAt };
    const reader = new OutcomeReader(store, child.id, sent, { mayBeInterrupted: false });
    for (;;) {
      using change = nextChange(store, CHECK_INTERVAL_MS, signal);
      const outcome = await reader.read();
      if (outcome !== undefined) return outcome;
      const isHeld = (await store.leaseHolder(child.id, currentClaimant())) !== undefined;
      if (signal.aborted) {
        if (isHeld) await this.#stopElsewhere(child.id, signal);
        throw interruptionOf(signal) ?? cancelled();
      }
      if (isHeld) await change.happened;
      else await this.#start(child.id, { reader, promptId: id, signal });
    }
  }

  /**
   * Gives up a child whose parent was cancelled, with its own children: closes what dead runs have left open, refuses what
   * they ask, and takes back tasks that nobody has begun. The deepest come first: once a session is closed, nobody returns
   * to the children of its calls.
   */
  async abandon(child: Session): Promise<void> {
    const { store, hub, queue, runs } = this.#options;
    for (const id of [...(await descendantIds(store, child.id))].reverse()) {
      await queue.remove(id, derivedId(id, 'prompt'));
      for (const { callId, handle } of await store.listApprovals(id, { open: true })) {
        const refusal = { answer: 'deny', reason: 'the run was cancelled', handle } as const;
        const answered = await store.answerApproval(id, callId, refusal);
        for (const event of answered?.events ?? []) hub.emit(event);
      }
      await runs.abandon(id);
    }
  }

  /** Puts a text into the parent's queue as the result of a child in the background. Does so once, however often it is called. */
  async deliver(child: Session, text: string): Promise<void> {
    const { store, hub } = this.#options;
    const { parentId, title } = child;
    const place = childPlaceOf(child);
    if (parentId === undefined || place === undefined) return;
    const origin = { kind: 'subtask', sessionId: child.id, handle: place.handle, title };
    const message = {
      id: derivedId(child.id, 'result'),
      content: [{ type: 'text' as const, text }],
      queuedAt: Date.now(),
      metadata: { origin },
    };
    const { events } = await store.enqueue(parentId, message, { maxPending: Number.MAX_SAFE_INTEGER });
    for (const event of events) hub.emit(event);
    await store.updateSession(child.id, { metadata: childMetadata({ ...place, isDelivered: true }) });
  }

  /** Sends the child its task, unless it has it. */
  #sendTask(child: Session, prompt: string): ReturnType<MessageQueueService['enqueue']> {
    const id = derivedId(child.id, 'prompt');
    return this.#options.queue.enqueue(child.id, [{ type: 'text', text: prompt }], { id });
  }

  async #start(
    childId: string,
    { reader, promptId, signal }: { reader: OutcomeReader; promptId: string; signal: AbortSignal },
  ): Promise<void> {
    const { store, runs } = this.#options;
    const isWaiting = async () => (await store.listQueue(childId)).some(({ id }) => id === promptId);
    if (!reader.isTaken && !(await isWaiting())) {
      await reader.assertTaken();
      return;
    }
    await runs.start(childId, { signal }).catch(ifBusy);
  }

  /** Another process runs the child: it is cancelled there, but left alone if only this program stops. */
  async #stopElsewhere(childId: string, signal: AbortSignal): Promise<void> {
    if (interruptionOf(signal) !== undefined) return;
    await this.#options.runs.cancel(childId, { clearQueue: false, force: false });
  }
}

/** @throws {LonghaulError} `invalid_request` if children of the session may have no children. */
export function placeOfNewChild(
  parent: Session,
  {
    handle,
    isBackground,
    tools,
    files,
    maxDepth,
  }: Omit<ChildPlace, 'depth' | 'isDelivered'> & { maxDepth: number },
): ChildPlace {
  const depth = (childPlaceOf(parent)?.depth ?? 0) + 1;
  if (depth > maxDepth) {
    throw new LonghaulError(
      'invalid_request',
      `Sessions at depth ${depth - 1} cannot start others (subtasks.depth is ${maxDepth}). Do the work here.`,
    );
  }
  return { handle, depth, isBackground, tools, files, isDelivered: false };
}

import type { ContentBlock, StopReason } from '@agentclientprotocol/sdk';
import {
  type EventOf,
  LonghaulError,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';
import { editorText } from '../editor-text.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import type { EventFeed } from '../updates/event-feed.ts';
import { remark } from '../updates/text-chunk.ts';
import { titleUpdate } from '../updates/title-update.ts';
import { fenced } from '../updates/tool-content.ts';
import { contentOf } from './prompt-content.ts';
import { RunningTurns, type RunningTurnsOptions } from './running-turns.ts';
import { stopReasonOf } from './stop-reason.ts';
import type { Turn } from './turn.ts';
import { type TypedCommand, typedCommand } from './typed-command.ts';

export interface SessionPromptsOptions extends Pick<RunningTurnsOptions, 'isConnected' | 'inBackground'> {
  workspace: AcpWorkspace;
  /** The session's folder as the client named it. */
  folder: string;
  record: SessionRecord;
  feed: EventFeed;
}

/** Answers the prompts of an open session: runs a command, or queues a message and waits for its run. */
export class SessionPrompts {
  readonly #options: SessionPromptsOptions;
  readonly #turns: RunningTurns;
  /** Settles when the last prompt so far is in the queue, or has failed. */
  #entered: Promise<unknown> = Promise.resolve();

  constructor(options: SessionPromptsOptions) {
    const { workspace, record, isConnected, inBackground } = options;
    const { runtime, store } = workspace;
    this.#options = options;
    this.#turns = new RunningTurns({
      sessionId: record.fields.id,
      runtime,
      store,
      stored: () => record.stored,
      isConnected,
      inBackground,
    });
  }

  /**
   * Sends a prompt and waits until its turn has ended. During a turn, the prompt is queued for the turn's next step,
   * and both prompts end with the turn.
   *
   * @param options.tools Patterns of the tools that the answer may use. Default: all.
   * @throws {LonghaulError} The failure of the turn.
   */
  async prompt(
    blocks: readonly ContentBlock[],
    { tools, signal }: { tools?: readonly string[] | undefined; signal: AbortSignal },
  ): Promise<StopReason> {
    const { folder, feed } = this.#options;
    using turn = this.#turns.begin(signal, tools);
    try {
      return await this.#answer(turn, contentOf(blocks, folder));
    } catch (error) {
      if (turn.isCancelled || toLonghaulError(error).code === 'cancelled') return 'cancelled';
      throw error;
    } finally {
      await feed.settled();
    }
  }

  /** Stops the work on all prompts. They end as `cancelled`. */
  async cancel(): Promise<void> {
    await this.#turns.cancel();
  }

  /** Notes that a run has taken messages out of the queue. */
  noteDelivery(event: EventOf<'message:dequeued'>): void {
    this.#turns.noteDelivery(event);
  }

  async #answer(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const { workspace, feed } = this.#options;
    const typed = await this.#inOrder(async () => {
      const found = typedCommand(content, await workspace.commands());
      if (found === undefined) await this.#enqueue(turn, content);
      return found;
    });
    if (typed === undefined) return await this.#wait(turn, content);
    const outcome = await this.#run(typed, turn);
    if ('prompt' in outcome) {
      const prompt = [{ type: 'text' as const, text: outcome.prompt }];
      await this.#enqueue(turn, prompt);
      return await this.#wait(turn, prompt);
    }
    if (turn.isCancelled) return 'cancelled';
    feed.send(remark(fenced(outcome.text.trimEnd())));
    return 'end_turn';
  }

  async #run({ command, words }: TypedCommand, { signal }: Turn): ReturnType<TypedCommand['command']['run']> {
    const { workspace, record } = this.#options;
    const { stored, fields } = record;
    if (command.needsSession === true && stored === undefined)
      return { text: `/${command.name} needs a session with messages, and this session has none yet.` };
    await stored;
    try {
      const { title = fields.title } = (await workspace.store.getSession(fields.id)) ?? {};
      return await command.run(words, { sessionId: fields.id, title, signal });
    } catch (error) {
      const text = problemOfInput(error);
      if (text === undefined) throw error;
      return { text };
    }
  }

  /** Lets prompts enter the queue in the order in which the client sent them. */
  #inOrder<T>(enter: () => Promise<T>): Promise<T> {
    const entering = this.#entered.then(enter);
    // Its caller gets the error.
    this.#entered = entering.catch(() => undefined);
    return entering;
  }

  async #enqueue(turn: Turn, content: readonly UserMessageContentPart[]): Promise<void> {
    const { workspace, record } = this.#options;
    // A problem with the model is reported before anything is stored.
    await workspace.models.prepare(record.fields.model, turn.signal);
    await this.#store(content);
    if (!turn.isCancelled) await workspace.runtime.queue.enqueue(record.fields.id, content, optionsOf(turn));
  }

  /** Waits until a run has answered the prompt, which is in the queue. */
  async #wait(turn: Turn, content: readonly UserMessageContentPart[]): Promise<StopReason> {
    const { workspace, record } = this.#options;
    try {
      if (turn.isCancelled) return 'cancelled';
      const options = { ...optionsOf(turn), signal: turn.withdrawn };
      return stopReasonOf(await workspace.runtime.sendAndWait(record.fields.id, content, options));
    } finally {
      // A prompt that has failed is not delivered later.
      await this.#turns.remove(turn);
    }
  }

  async #store(content: readonly UserMessageContentPart[]): Promise<void> {
    const { record, feed } = this.#options;
    const title = await record.store(content);
    if (title === undefined) return;
    feed.send([titleUpdate({ title, at: Date.now() })]);
  }
}

/**
 * Returns what is wrong with what was typed. It is shown as a text: an editor could take an error such as "not found" for
 * the loss of the session. Undefined: something else has failed.
 */
function problemOfInput(error: unknown): string | undefined {
  if (!(error instanceof LonghaulError)) return undefined;
  return error.code === 'usage' || error.code === 'not_found' ? editorText(error) : undefined;
}

function optionsOf({ messageId, tools }: Turn) {
  return { id: messageId, tools };
}

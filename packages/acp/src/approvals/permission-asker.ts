import type { PermissionOption, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { Runtime } from '@longhaul/core';
import {
  type Approval,
  type ApprovalAnswer,
  isOfRunningCall,
  questionOf,
  toLonghaulError,
} from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';
import { problemOf } from '../request-error.ts';
import { kindOf, locationsOf, titleOf } from '../updates/tool-facts.ts';
import { askQuestion, type QuestionClient } from './ask-question.ts';
import { proposedContent } from './proposed-content.ts';
import { calledFrom, type QuestionChoice } from './question-choices.ts';

type Asked = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

export interface PermissionAskerOptions {
  sessionId: string;
  /** The session's folder as the client named it. */
  folder: string;
  workspace: Pick<AcpWorkspace, 'allowedByAlways'> & { runtime: Pick<Runtime, 'approvals'> };
  /** The editor. */
  client: QuestionClient;
  /** Returns the id of the call in the protocol. */
  toolCallIdOf(callId: string): string;
  /** Called if the person cancels the turn in place of an answer. */
  onCancelled(): void;
  /** False when the client has left: a question then stays open for the next one. */
  isConnected(): boolean;
  log(line: string): void;
}

/** Asks the person in the editor about calls that need approval, all at once, and stores the answers. */
export class PermissionAsker {
  readonly #options: PermissionAskerOptions;
  /** Questions without an answer, by the handles of their calls. */
  readonly #open = new Map<string, AbortController>();

  constructor(options: PermissionAskerOptions) {
    this.#options = options;
  }

  /** Does nothing if the question is open already. */
  ask(asked: Asked): void {
    if (this.#open.has(asked.handle)) return;
    const controller = new AbortController();
    this.#open.set(asked.handle, controller);
    void this.#ask(asked, controller).finally(() => {
      if (this.#open.get(asked.handle) === controller) this.#open.delete(asked.handle);
    });
  }

  /** Withdraws a question that somebody else has answered. */
  withdraw(handle: string): void {
    this.#open.get(handle)?.abort();
    this.#open.delete(handle);
  }

  withdrawAll(): void {
    for (const handle of [...this.#open.keys()]) this.withdraw(handle);
  }

  async #ask(asked: Asked, { signal }: AbortController): Promise<void> {
    const { onCancelled } = this.#options;
    try {
      const answer = await this.#answerOf(asked, signal);
      if (signal.aborted) return;
      if (answer === undefined) onCancelled();
      else await this.#answer(asked, answer);
    } catch (error) {
      if (signal.aborted || !this.#options.isConnected()) return;
      // Without this answer, the run would never end.
      await this.#refuse(asked, problemOf(error));
    }
  }

  /** Returns undefined if the person cancels the turn. */
  async #answerOf(asked: Asked, signal: AbortSignal): Promise<QuestionChoice['answer'] | undefined> {
    const { sessionId, client, toolCallIdOf } = this.#options;
    const question = questionOf(asked);
    if (question !== undefined) {
      const toolCallId = toolCallIdOf(calledFrom(asked.callId));
      return await askQuestion({ question, sessionId, toolCallId, signal }, client);
    }
    const { outcome } = await client.request(await this.#request(asked), signal);
    if (outcome.outcome === 'cancelled') return undefined;
    return { answer: ANSWERS[outcome.optionId] ?? 'deny' };
  }

  async #request({ callId, toolName, args }: Asked): Promise<RequestPermissionRequest> {
    const { sessionId, folder, workspace, toolCallIdOf } = this.#options;
    const options = optionsFor(await workspace.allowedByAlways({ toolName, args }));
    const shown = { title: titleOf(toolName, args), content: proposedContent(folder, toolName, args) };
    if (isOfRunningCall({ toolName }))
      return { sessionId, toolCall: { ...shown, toolCallId: toolCallIdOf(calledFrom(callId)) }, options };
    return {
      sessionId,
      toolCall: {
        ...shown,
        toolCallId: toolCallIdOf(callId),
        kind: kindOf(toolName),
        status: 'pending',
        locations: locationsOf(folder, { args }),
      },
      options,
    };
  }

  async #refuse(asked: Asked, problem: string): Promise<void> {
    this.#options.log(`The editor could not ask about ${asked.toolName}: ${problem}`);
    await this.#answer(asked, { answer: 'deny', reason: `the editor could not ask: ${problem}` });
  }

  /** Somebody else may have answered, or the run may have ended. */
  async #answer({ callId, handle }: Asked, answer: QuestionChoice['answer']): Promise<void> {
    const { sessionId, workspace, log } = this.#options;
    try {
      await workspace.runtime.approvals.answer(sessionId, callId, { ...answer, handle });
    } catch (error) {
      const { code, message } = toLonghaulError(error);
      if (code !== 'not_found') log(`The answer to a request for approval could not be stored: ${message}`);
    }
  }
}

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = { once: 'once', always: 'always', reject: 'deny' };

const MAX_SHOWN_CHARS = 200;

function optionsFor(allowed: readonly string[]): PermissionOption[] {
  const names = allowed.join(', ');
  const shown = names.length <= MAX_SHOWN_CHARS ? names : `${names.slice(0, MAX_SHOWN_CHARS - 1)}…`;
  const always: PermissionOption = {
    optionId: 'always',
    name: `Always allow in this session: ${shown}`,
    kind: 'allow_always',
  };
  return [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
    // What an answer covers is not known for a line that cannot be read.
    ...(allowed.length === 0 ? [] : [always]),
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}

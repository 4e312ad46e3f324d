import { countByClasses } from '@longhaul/context/engine';
import { type JsonObject, samplingName, type TokenUsage } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { ModelDriver } from '../ports/index.ts';
import type { ModelQuestion, ModelReply } from '../ports/tool.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { RunAccount } from './limits/run-account.ts';
import type { RunClock } from './limits/run-clock.ts';
import { type RunLimits, reachedLimit } from './limits/run-limits.ts';
import { type OneAnswer, oneAnswer } from './model-call/one-answer.ts';

export interface ModelForToolsOptions {
  driver: ModelDriver;
  writer: Pick<SessionWriter, 'announce'>;
  approver: Approver;
  account: RunAccount;
  limits: RunLimits;
  clock: RunClock;
  costOf: (usage: TokenUsage) => number | undefined;
}

/** The call of a tool that asks the model. */
export interface AskingCall {
  callId: string;
  handle: string;
  signal: AbortSignal;
}

/** A server needs short answers. A longer one would be paid for by the person. */
const MAX_ANSWER_TOKENS = 4_000;
/** Share of the window that a question may take. */
const MAX_SHARE = 0.5;

/** Lets servers use the model of the session, within the limits of the run. */
export class ModelForTools {
  readonly #options: ModelForToolsOptions;

  constructor(options: ModelForToolsOptions) {
    this.#options = options;
  }

  async ask(question: ModelQuestion, call: AskingCall): Promise<ModelReply> {
    const refusal = this.#unaffordable(question) ?? (await this.#disapproval(question, call));
    if (refusal !== undefined) return { isAnswered: false, reason: refusal };
    const { driver } = this.#options;
    const answer = await oneAnswer(driver, {
      system: question.system ?? '',
      messages: question.messages.map(({ role, text }) => ({ role, content: [{ type: 'text', text }] })),
      tools: [],
      maxOutputTokens: this.#answerTokens(question),
      signal: call.signal,
    });
    await this.#account(question, answer);
    if (answer.status === 'failed')
      return { isAnswered: false, reason: `the model failed: ${answer.reason}` };
    const { text, finishReason } = answer;
    return { isAnswered: true, text, model: driver.info.model, isCut: finishReason === 'length' };
  }

  /** Returns why the question is not even shown to a person. */
  #unaffordable(question: ModelQuestion): string | undefined {
    const { driver, limits, account } = this.#options;
    const limit = reachedLimit(limits, account.progress);
    if (limit !== undefined) return `the run has reached its limit of ${limit}`;
    const maxTokens = Math.floor(driver.info.windowTokens * MAX_SHARE);
    const tokens = countByClasses(textOf(question));
    if (tokens <= maxTokens) return undefined;
    return `the request has about ${tokens} tokens, and at most ${maxTokens} are accepted`;
  }

  async #disapproval(
    question: ModelQuestion,
    { callId, handle, signal }: AskingCall,
  ): Promise<string | undefined> {
    const { approver, clock } = this.#options;
    const verdict = await approver.approve({
      callId,
      handle,
      toolName: samplingName(question.server),
      input: shownQuestion(question, this.#answerTokens(question)),
      actsOutside: true,
      isOfRunningCall: true,
      signal,
      stopClock: () => clock.stop(),
    });
    return verdict.allowed ? undefined : verdict.reason;
  }

  #answerTokens({ maxTokens }: ModelQuestion): number {
    const { maxOutputTokens } = this.#options.driver.info;
    return Math.max(1, Math.min(maxTokens, MAX_ANSWER_TOKENS, maxOutputTokens));
  }

  /** Adds what the answer has cost to the run. A failed one may have cost something too, but nobody says what. */
  async #account(question: ModelQuestion, answer: OneAnswer): Promise<void> {
    if (answer.status === 'failed') return;
    const { account, writer, costOf } = this.#options;
    const { text, usage } = answer;
    const inputTokens = countByClasses(textOf(question));
    account.addCall(usage, { inputTokens, outputTokens: countByClasses(text) });
    const tokens = usage === undefined ? 'an unknown number of' : usage.totalTokens;
    const cost = usage && costOf(usage);
    const price = cost === undefined ? '' : ` ($${cost.toFixed(4)})`;
    const message = `The MCP server ${question.server} has used the model: ${tokens} tokens${price}.`;
    await writer.announce({ type: 'context:warning', message });
  }
}

/** The whole of what the model would see, for the person who decides. */
function shownQuestion({ server, system, messages }: ModelQuestion, maxTokens: number): JsonObject {
  const lines = messages.map(({ role, text }) => (messages.length === 1 ? text : `${role}: ${text}`));
  return {
    server,
    ...(system !== undefined && { system }),
    question: lines.join('\n'),
    maxTokens,
  };
}

function textOf({ system = '', messages }: ModelQuestion): string {
  return [system, ...messages.map(({ text }) => text)].join('\n');
}

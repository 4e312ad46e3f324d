import type { ApprovalService, Runtime } from '@longhaul/core';
import {
  type Approval,
  type ApprovalAnswer,
  type JsonObject,
  type JsonValue,
  type Question,
  questionOf,
  toLonghaulError,
} from '@longhaul/protocol';
import { QuestionForm } from '../questions/question-form.ts';
import { readLine } from '../read-line.ts';
import { approvalQuestion } from '../render/approval-question.ts';
import type { Terminal } from '../terminal.ts';

export interface AnswerApprovalsOptions {
  runtime: Pick<Runtime, 'subscribe'> & { approvals: ApprovalService };
  terminal: Terminal;
  sessionId: string;
  /** Stops all other output until the result is disposed. */
  pause: () => Disposable;
}

type Asked = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'child'> & { args: JsonValue };

/**
 * Asks the person at the terminal about each call of a session that needs approval, one after another, the oldest
 * first. A question is withdrawn if somebody else answers it.
 */
export async function answerApprovals(options: AnswerApprovalsOptions): Promise<Disposable> {
  const { runtime, sessionId } = options;
  const asker = new Asker(options);
  const end = runtime.subscribe((event) => {
    if (event.sessionId !== sessionId) return;
    if (event.type === 'approval:requested') asker.add(event);
    if (event.type === 'approval:answered') asker.drop(event.handle);
    if (event.type === 'run:finished') asker.close();
  });
  for (const open of await runtime.approvals.list(sessionId, { open: true })) asker.add(open);
  return {
    [Symbol.dispose]() {
      end();
      asker.close();
    },
  };
}

class Asker {
  readonly #options: AnswerApprovalsOptions;
  readonly #waiting: Asked[] = [];
  /** One question at a time, until its answer is stored. Otherwise one line would answer two questions. */
  #isAsking = false;
  #current: { handle: string; controller: AbortController } | undefined;

  constructor(options: AnswerApprovalsOptions) {
    this.#options = options;
  }

  add(asked: Asked): void {
    this.#waiting.push(asked);
    if (!this.#isAsking) void this.#askAll();
  }

  drop(handle: string): void {
    const index = this.#waiting.findIndex((asked) => asked.handle === handle);
    if (index !== -1) this.#waiting.splice(index, 1);
    if (this.#current?.handle === handle) this.#current.controller.abort();
  }

  close(): void {
    this.#waiting.length = 0;
    this.#current?.controller.abort();
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let asked = this.#waiting.shift(); asked !== undefined; asked = this.#waiting.shift()) {
        await this.#ask(asked);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(asked: Asked): Promise<void> {
    const { terminal, pause } = this.#options;
    const controller = new AbortController();
    this.#current = { handle: asked.handle, controller };
    using _paused = pause();
    const answer = await askPerson(asked, { terminal, signal: controller.signal });
    this.#current = undefined;
    if (answer !== undefined) await this.#answer(asked, answer);
  }

  /** Somebody else may answer while the line is sent. */
  async #answer({ callId, handle }: Asked, answer: Answer): Promise<void> {
    const { runtime, sessionId, terminal } = this.#options;
    try {
      await runtime.approvals.answer(sessionId, callId, { ...answer, handle });
    } catch (error) {
      if (toLonghaulError(error).code !== 'not_found') throw error;
      terminal.out.write('  Too late: somebody else has answered.\n');
    }
  }
}

type Answer = { answer: ApprovalAnswer; reason?: string; content?: JsonObject };

/** Returns undefined if somebody else has answered, or the run has ended. */
async function askPerson(
  asked: Asked,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<Answer | undefined> {
  terminal.out.write(approvalQuestion(asked));
  const question = questionOf(asked);
  if (question !== undefined) return await askForm(question, { terminal, signal });
  for (;;) {
    const line = await readLine('  Allow it? [y]es, [a]lways in this session, [n]o: ', { terminal, signal });
    if (line === undefined) return undefined;
    if (line === null) return { answer: 'deny', reason: 'the terminal was closed' };
    const word = line.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return { answer: 'once' };
    if (word === 'a' || word === 'always') return { answer: 'always' };
    if (word === 'n' || word === 'no') {
      const reason = (
        await readLine('  Why not? (the agent receives the reason; may be empty) ', { terminal, signal })
      )?.trim();
      return { answer: 'deny', ...(reason ? { reason } : {}) };
    }
  }
}

/** Asks for the fields of a question of a server. */
async function askForm(
  question: Question,
  place: { terminal: Terminal; signal: AbortSignal },
): Promise<Answer | undefined> {
  const form = new QuestionForm(question);
  place.terminal.out.write('  Type /decline to decline.\n');
  for (;;) {
    const line = await readLine(`  ${form.prompt} `, place);
    if (line === undefined) return undefined;
    if (line === null) return { answer: 'deny', reason: 'the terminal was closed' };
    if (line.trim() === '/decline') return { answer: 'deny', reason: 'the person declined' };
    const problem = form.take(line);
    if (problem !== undefined) place.terminal.out.write(`  ${problem}\n`);
    const { content } = form;
    if (content !== undefined) return { answer: 'once', content };
  }
}

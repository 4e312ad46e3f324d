import type { ApprovalRule } from '@longhaul/approvals';
import { approvalQuestion } from '../render/approval-question.ts';
import type { Paint } from '../render/paint.ts';
import { ruleLine } from '../render/rule-line.ts';
import type { LocalRules } from './connection/connection.ts';
import type { Conversation } from './conversation.ts';
import type { Remarks } from './remarks.ts';
import type { OpenApproval } from './session/session-state.ts';
import type { Surface } from './surface/surface.ts';

export interface ApprovalQuestionsOptions {
  surface: Surface;
  paint: Paint;
  conversation: Conversation;
  remarks: Remarks;
  /** Undefined: the rules are on another machine. */
  rules: LocalRules | undefined;
}

interface Asked {
  handle: string;
  /** An answer is on its way, so further keys are no answers. */
  isAnswered: boolean;
  /** Undefined while the question is prepared. */
  shown: Disposable | undefined;
}

/** Asks about the calls that need the person's approval, one at a time, the oldest first. */
export class ApprovalQuestions {
  readonly #options: ApprovalQuestionsOptions;
  /** Keys that had been pressed when the present step of the model began. */
  #keysAtStep = 0;
  #asked: Asked | undefined;

  constructor(options: ApprovalQuestionsOptions) {
    this.#options = options;
  }

  /** A person who pressed no key since the model was asked looks at the screen: the next key is for the question. */
  beginStep(): void {
    this.#keysAtStep = this.#options.surface.keys;
  }

  /** Asks the next question, if the last one was answered or withdrawn. */
  async update(): Promise<void> {
    const { conversation, rules } = this.#options;
    const [request] = conversation.approvals;
    if (request?.handle === this.#asked?.handle) return;
    this.#asked?.shown?.[Symbol.dispose]();
    this.#asked = undefined;
    if (request === undefined) return;
    const asked: Asked = { handle: request.handle, isAnswered: false, shown: undefined };
    this.#asked = asked;
    const permanent = await rules?.ofAlways(request, conversation.workspace);
    // It may have been answered elsewhere in the meantime.
    if (this.#asked === asked) asked.shown = this.#show(request, permanent, asked);
  }

  #show(request: OpenApproval, permanent: readonly ApprovalRule[] | undefined, asked: Asked): Disposable {
    const { surface, paint, conversation, remarks } = this.#options;
    surface.print(`\n${approvalQuestion(request, paint)}`);
    surface.notify(`Waiting for your answer: ${request.toolName}`);
    return surface.askApproval({
      request,
      permanent: permanent?.map(ruleLine),
      waiting: conversation.approvals.length - 1,
      isUnexpected: surface.keys !== this.#keysAtStep,
      onAnswer: (answer) => this.#answer(asked, () => conversation.answer(request, answer)),
      onAlways: () => this.#answer(asked, () => this.#allowAlways(request, permanent ?? [])),
      onStop: () => void remarks.guarded(async () => void (await conversation.stop())),
    });
  }

  /** Answers, unless an earlier answer is on its way. After a failure, the person can answer again. */
  #answer(asked: Asked, answer: () => Promise<void>): void {
    if (asked.isAnswered) return;
    asked.isAnswered = true;
    void this.#options.remarks.guarded(async () => {
      try {
        await answer();
      } catch (error) {
        asked.isAnswered = false;
        throw error;
      }
    });
  }

  /** The rule counts from the next run on; until then, the answer counts. */
  async #allowAlways(request: OpenApproval, permanent: readonly ApprovalRule[]): Promise<void> {
    const { conversation, rules, remarks } = this.#options;
    await rules?.add(permanent);
    remarks.say(`${rules?.file ?? ''} now has: ${permanent.map(ruleLine).join(', ')}`);
    await conversation.answer(request, { answer: 'always' });
  }
}

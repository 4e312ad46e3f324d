import { approvalQuestion } from '../render/approval-question.ts';
import type { Paint } from '../render/paint.ts';
import type { Conversation } from './conversation.ts';
import type { Remarks } from './remarks.ts';
import type { Surface } from './surface/surface.ts';

export interface ApprovalQuestionsOptions {
  surface: Surface;
  paint: Paint;
  conversation: Conversation;
  remarks: Remarks;
}

/** Asks about the calls that need the person's approval, one at a time, the oldest first. */
export class ApprovalQuestions {
  readonly #options: ApprovalQuestionsOptions;
  /** Keys that had been pressed when the present step of the model began. */
  #keysAtStep = 0;
  #asked: { handle: string; shown: Disposable } | undefined;

  constructor(options: ApprovalQuestionsOptions) {
    this.#options = options;
  }

  /** A person who pressed no key since the model was asked looks at the screen: the next key is for the question. */
  beginStep(): void {
    this.#keysAtStep = this.#options.surface.keys;
  }

  /** Asks the next question, if the last one was answered or withdrawn. */
  update(): void {
    const { surface, paint, conversation, remarks } = this.#options;
    const [request, ...others] = conversation.approvals;
    if (request?.handle === this.#asked?.handle) return;
    this.#asked?.shown[Symbol.dispose]();
    this.#asked = undefined;
    if (request === undefined) return;
    surface.print(`\n${approvalQuestion(request, paint)}`);
    surface.notify(`Waiting for your answer: ${request.toolName}`);
    const shown = surface.askApproval({
      request,
      waiting: others.length,
      isUnexpected: surface.keys !== this.#keysAtStep,
      onAnswer: (answer) => void remarks.guarded(() => conversation.answer(request, answer)),
      onStop: () => void remarks.guarded(async () => void (await conversation.stop())),
    });
    this.#asked = { handle: request.handle, shown };
  }
}

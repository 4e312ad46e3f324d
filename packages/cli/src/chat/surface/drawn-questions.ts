import { questionOf } from '@longhaul/protocol';
import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { ApprovalPanel } from '../panels/approval-panel.ts';
import type { Panel } from '../panels/panel.ts';
import { PanelStack } from '../panels/panel-stack.ts';
import { Picker } from '../panels/picker.ts';
import { QuestionPanel } from '../panels/question-panel.ts';
import type { ApprovalOptions, PickOptions } from './surface.ts';

const HELD = '? A question waits. Send or clear your text, then press Enter';
const HELD_EMPTY = '? A question waits. Press Enter to answer it';

export interface DrawnQuestionsOptions {
  paint: Paint;
  /** Another question is open, or none. */
  onChange: () => void;
  /** The open question looks different. */
  redraw: () => void;
}

/** The questions of a drawn surface, which are open in place of the composer or wait behind it. */
export class DrawnQuestions {
  readonly #options: DrawnQuestionsOptions;
  readonly #panels: PanelStack;

  constructor(options: DrawnQuestionsOptions) {
    this.#options = options;
    this.#panels = new PanelStack(options.onChange);
  }

  /** The question that takes the keys. */
  get open(): Panel | undefined {
    return this.#panels.open;
  }

  /** A question waits behind the composer. */
  get holds(): boolean {
    return this.#panels.holds;
  }

  openHeld(): void {
    this.#panels.openHeld();
  }

  /** Lets the person choose. Undefined: nothing was chosen. */
  async pick<T>(options: PickOptions<T>, { isHeld }: { isHeld: boolean }): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const { paint, redraw } = this.#options;
    const picker = new Picker({ ...options, paint, onDone: resolve, onChange: redraw });
    using _shown = this.#panels.show(picker, { isHeld });
    return await promise;
  }

  /** Asks about a call, until it is answered or the result is disposed. */
  askApproval(options: Omit<ApprovalOptions, 'isUnexpected'>, { isHeld }: { isHeld: boolean }): Disposable {
    const { paint } = this.#options;
    const question = questionOf(options.request);
    const panel =
      question === undefined
        ? new ApprovalPanel({ ...options, paint })
        : new QuestionPanel({ ...options, question, paint });
    return this.#panels.show(panel, { isHeld });
  }

  /** The line that tells of a question behind the composer. None without one. */
  heldLines(columns: number, { text }: { text: string }): string[] {
    if (!this.holds) return [];
    return [this.#options.paint.warn(fitLine(text === '' ? HELD_EMPTY : HELD, columns))];
  }
}

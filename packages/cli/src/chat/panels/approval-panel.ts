import { type ApprovalAnswer, alwaysWords } from '@longhaul/protocol';
import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { visibleLine } from '../../render/visible.ts';
import { Input, matchesKey } from '../pi-tui.ts';
import type { OpenApproval } from '../session/session-state.ts';
import type { Panel } from './panel.ts';

export interface GivenAnswer {
  answer: ApprovalAnswer;
  reason?: string;
}

export interface ApprovalPanelOptions {
  request: Pick<OpenApproval, 'toolName' | 'alwaysAllows'>;
  /** Requests that wait behind this one. */
  waiting: number;
  paint: Paint;
  onAnswer: (answer: GivenAnswer) => void;
  /** Esc: the run is stopped, and the call does not run. */
  onStop: () => void;
}

/** Asks about one call, which is printed above. One key answers. */
export class ApprovalPanel implements Panel {
  readonly #options: ApprovalPanelOptions;
  #reason: Input | undefined;
  focused = false;

  constructor(options: ApprovalPanelOptions) {
    this.#options = options;
  }

  invalidate(): void {
    this.#reason?.invalidate();
  }

  render(width: number): string[] {
    const { paint, request, waiting } = this.#options;
    const more = waiting === 0 ? '' : `, ${waiting} more after it`;
    const title = paint.warn(fitLine(`? Allow ${visibleLine(request.toolName)}${more}`, width));
    if (this.#reason !== undefined) {
      this.#reason.focused = this.focused;
      return [
        title,
        paint.dim('Type a reason for the agent. Enter sends it, Esc goes back.'),
        ...this.#reason.render(width),
      ];
    }
    const keys = [
      ['y', 'yes, once'],
      ['a', `always in this session: ${visibleLine(alwaysWords(request))}`],
      ['n', 'no'],
      ['r', 'no, with a reason'],
    ] as const;
    return [
      title,
      ...keys.map(([key, meaning]) => `  ${paint.note(key)}  ${fitLine(meaning, width - 5)}`),
      paint.dim('  Esc stops the run, and the call does not run'),
    ];
  }

  handleInput(data: string): void {
    const reason = this.#reason;
    if (reason !== undefined) {
      if (matchesKey(data, 'escape')) this.#reason = undefined;
      else reason.handleInput(data);
      return;
    }
    const { onAnswer, onStop } = this.#options;
    if (matchesKey(data, 'y')) onAnswer({ answer: 'once' });
    else if (matchesKey(data, 'a')) onAnswer({ answer: 'always' });
    else if (matchesKey(data, 'n')) onAnswer({ answer: 'deny' });
    else if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) onStop();
    else if (matchesKey(data, 'r')) this.#reason = this.#reasonInput();
  }

  #reasonInput(): Input {
    const input = new Input({ prompt: '  › ' });
    input.onSubmit = (text) => {
      const reason = text.trim();
      this.#options.onAnswer(reason === '' ? { answer: 'deny' } : { answer: 'deny', reason });
    };
    return input;
  }
}

import { type ApprovalAnswer, alwaysWords, type JsonObject, visibleLine } from '@longhaul/protocol';
import { breakLine, fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { Input, matchesKey } from '../pi-tui.ts';
import type { OpenApproval } from '../session/session-state.ts';
import type { Panel } from './panel.ts';

export interface GivenAnswer {
  answer: ApprovalAnswer;
  reason?: string;
  /** Values for the fields of a question. */
  content?: JsonObject;
}

export interface ApprovalPanelOptions {
  request: Pick<OpenApproval, 'toolName' | 'args' | 'alwaysAllows'>;
  /** Rules that always allow the call, if they are written into the user's file. */
  permanent?: readonly string[] | undefined;
  /** Requests that wait behind this one. */
  waiting: number;
  paint: Paint;
  onAnswer: (answer: GivenAnswer) => void;
  /** The rules are written, and the call runs. */
  onAlways: () => void;
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
    const { paint, request, permanent, waiting } = this.#options;
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
      ...(permanent === undefined
        ? []
        : [['w', `always, in every folder: writes ${permanent.join(', ')}`] as const]),
      ['n', 'no'],
      ['r', 'no, with a reason'],
    ] as const;
    return [
      title,
      ...keys.flatMap(([key, meaning]) => keyLines(paint.note(key), meaning, width)),
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
    const { permanent, onAnswer, onAlways, onStop } = this.#options;
    if (matchesKey(data, 'y')) onAnswer({ answer: 'once' });
    else if (matchesKey(data, 'a')) onAnswer({ answer: 'always' });
    else if (matchesKey(data, 'w') && permanent !== undefined) onAlways();
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

/** What an answer allows is shown whole. */
function keyLines(key: string, meaning: string, width: number): string[] {
  const lines = wrapText(meaning, width - 5)
    .trimEnd()
    .split('\n')
    .flatMap((line) => breakLine(line, width - 5));
  return lines.map((line, index) => (index === 0 ? `  ${key}  ${line}` : `     ${line}`));
}

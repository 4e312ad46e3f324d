import { originName } from '@longhaul/protocol';
import { fitLine, plural } from '../../render/format.ts';
import type { Conversation } from '../conversation.ts';
import type { Front } from '../front.ts';
import { textOf } from '../session/message-content.ts';
import { backgroundLines } from './background-lines.ts';
import { busyLines } from './busy-lines.ts';
import type { ConversationView } from './conversation-view.ts';
import { statusBar } from './status-bar.ts';
import { todoLines } from './todo-lines.ts';
import type { Totals } from './totals.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MAX_WAITING = 5;
const CHILD_SIGN = 'background ';

export interface ActivityLinesOptions {
  front: Front;
  view: ConversationView;
  conversation: Conversation;
  totals: Totals;
  /** A command of the person runs. */
  isRunning: () => boolean;
  model: () => string | undefined;
  folder: () => string;
}

/** The redrawn lines around the composer. */
export class ActivityLines {
  readonly #options: ActivityLinesOptions;

  constructor(options: ActivityLinesOptions) {
    this.#options = options;
  }

  /** The activity, the todo list, the commands in the background, and the messages that wait. */
  above(available: number): string[] {
    const { front, view, conversation } = this.#options;
    const columns = Math.min(available, front.columns);
    return [
      ...view.unfinishedLines(columns),
      ...this.#activity(columns),
      ...todoLines(view.todo, { columns, paint: front.paint }),
      ...backgroundLines(conversation.background, { columns, paint: front.paint }),
      ...view
        .childLines('background', columns - CHILD_SIGN.length)
        .map((line) => front.paint.dim(CHILD_SIGN + line)),
      ...this.#waiting(columns),
      '',
    ];
  }

  status(columns: number): string {
    const { front, conversation, totals } = this.#options;
    const isStoppable = conversation.isBusy || this.#options.isRunning();
    const folder = this.#options.folder();
    const home = front.terminal.env['HOME'] ?? '';
    const isAtHome = home !== '' && (folder === home || folder.startsWith(`${home}/`));
    return statusBar(
      {
        model: this.#options.model(),
        folder: isAtHome ? `~${folder.slice(home.length)}` : folder,
        fill: totals.fill,
        cost: totals.cost,
        tokens: totals.tokens,
        hint: isStoppable ? 'Esc stops' : '/ commands',
        isHintNeeded: isStoppable,
      },
      { columns, paint: front.paint },
    );
  }

  #activity(columns: number): string[] {
    const { front, conversation, isRunning } = this.#options;
    if (!conversation.isBusy && !isRunning()) return [];
    const sign = FRAMES[front.surface.frame % FRAMES.length] ?? '';
    return busyLines(this.#doing(columns - 2), { sign, columns, paint: front.paint });
  }

  #doing(columns: number): readonly string[] {
    const { view, conversation } = this.#options;
    const { position, approvals } = conversation;
    if (position !== undefined) return [`waiting for other runs of the server to end, position ${position}`];
    if (approvals.length === 0) return view.activityLines(columns);
    return ['waiting for your answer', ...view.childLines('waited for', columns)];
  }

  #waiting(columns: number): string[] {
    const { front, conversation } = this.#options;
    const texts = conversation.undelivered.map(({ content, origin }) =>
      origin === undefined ? textOf(content) : `${originName(origin)}: ${textOf(content)}`,
    );
    const shown = texts
      .slice(0, MAX_WAITING)
      .map((text) => front.paint.dim(`  ▹ ${fitLine(text, columns - 4)}`));
    const more = texts.length - shown.length;
    if (texts.length === 0) return [];
    const how = conversation.isBusy ? '' : ` · Ctrl-S delivers ${texts.length === 1 ? 'it' : 'them'}`;
    const takeBack = conversation.written.length === 0 ? '' : ' · Alt-Up takes the last one back';
    const head = front.paint.dim(fitLine(`queue ${texts.length}${how}${takeBack}`, columns));
    return more > 0
      ? [head, ...shown, front.paint.dim(`  +${plural(more, 'more message')}`)]
      : [head, ...shown];
  }
}

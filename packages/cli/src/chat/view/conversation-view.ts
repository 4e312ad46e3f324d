import { type EventOf, isBlank, type JsonValue, type LonghaulEvent, originName } from '@longhaul/protocol';
import { comesBesideText } from '../../render/beside-text.ts';
import { breakLine, fitLine, plural, widthOf } from '../../render/format.ts';
import { LiveStatus } from '../../render/live-status.ts';
import { type Links, MarkdownStream } from '../../render/markdown.ts';
import type { Paint } from '../../render/paint.ts';
import { RunRenderer } from '../../render/run-renderer.ts';
import { toolDetails } from '../../render/tool-details.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { attachedNames, textOf } from '../session/message-content.ts';
import type { DeliveredMessage } from '../session/message-queue.ts';
import { FoldedReasoning } from './folded-reasoning.ts';
import type { Openables } from './openable.ts';
import { ReceivedText } from './received-text.ts';
import { runEndText } from './run-end-text.ts';
import { type TodoItem, todoItemsOf } from './todo-lines.ts';

export interface ConversationViewOptions {
  paint: Paint;
  colors: boolean;
  /** Columns of permanent text. Read for each line. */
  columns: () => number;
  /** Writes permanent lines. */
  print: (text: string) => void;
  openables: Openables;
  /** Returns what a compaction hid, and its summary. */
  compactionText: (sessionId: string, round: number) => Promise<string>;
  /** Makes links in answers. */
  links?: Links | undefined;
  /** Shows reasoning whole. Read for each event. */
  showsReasoning: () => boolean;
  /** Prints which child sessions start, because no redrawn line shows them. */
  announcesChildren?: boolean | undefined;
}

/** Lines of unfinished text shown below the permanent text. */
const LIVE_LINES = 8;
const LIVE_REASONING_LINES = 3;
/** Lines of the result of a child session. The rest can be opened. */
const RESULT_LINES = 3;

/** Turns the events of a session into permanent lines, and the current activity into lines that are redrawn. */
export class ConversationView {
  readonly #options: ConversationViewOptions;
  readonly #renderer: RunRenderer;
  readonly #status = new LiveStatus({ showsText: false, showsBackground: false });
  readonly #calls = new Map<string, JsonValue>();
  readonly #reasoning = new FoldedReasoning();
  readonly #received = new ReceivedText();
  #startedAt = 0;
  #isAfterCalls = false;
  todo: readonly TodoItem[] = [];

  constructor(options: ConversationViewOptions) {
    this.#options = options;
    const { colors, columns, announcesChildren = false } = options;
    this.#renderer = new RunRenderer({
      colors,
      get columns() {
        return columns();
      },
      shortSummary: true,
      announcesChildren,
      markdown: (inner) => new MarkdownStream({ ...inner, links: options.links }),
    });
  }

  /** A message of a person, as it was sent. */
  showMessage({ content, origin }: Pick<DeliveredMessage, 'content' | 'origin'>): void {
    const { paint, columns, print } = this.#options;
    const whole = wrapText(textOf(content), columns() - 2)
      .trimEnd()
      .split('\n');
    const isResult = origin?.kind === 'subtask' && whole.length > RESULT_LINES;
    const lines = isResult ? whole.slice(0, RESULT_LINES) : whole;
    const shown = lines.map((line, index) => `${index === 0 ? paint.note('› ') : '  '}${paint.bold(line)}`);
    const rest = isResult
      ? [this.#withHint(paint.dim(`  +${plural(whole.length - RESULT_LINES, 'more line')}`)).trimEnd()]
      : [];
    const from = origin === undefined ? [] : [paint.note(`▸ ${originName(origin)} sent:`)];
    const files = attachedNames(content).map((name) => paint.dim(`  [${name}]`));
    print(`${this.#renderer.endText()}\n${[...from, ...shown, ...rest, ...files].join('\n')}\n\n`);
    if (isResult && origin !== undefined)
      this.#options.openables.add({ title: originName(origin), text: () => whole.join('\n') });
  }

  show(stored: LonghaulEvent): void {
    // Times on the screen are durations, and the clock of the stored time can be set.
    const event = { ...stored, at: performance.now() };
    this.#status.update(event);
    if (event.type === 'run:started') this.#startedAt = event.at;
    if (event.type === 'llm:chunk' && event.chunkType === 'reasoning' && !this.#options.showsReasoning()) {
      this.#addReasoning(event);
      return;
    }
    if (!comesBesideText(event)) this.#endReasoning(event.at);
    this.#received.take(event);
    const missed = event.type === 'llm:response' ? this.#received.rest(event) : undefined;
    if (missed !== undefined) this.#options.print(this.#renderer.render(missed));
    this.#separate(event);
    this.#options.print(this.#textOf(event));
    this.#remember(event);
  }

  /** Sets what the model says apart from the calls above it. */
  #separate(event: LonghaulEvent): void {
    if (event.type === 'llm:tool-result') this.#isAfterCalls = true;
    const isText = event.type === 'llm:chunk' && event.chunkType === 'text' && !isBlank(event.content);
    if (!isText && event.type !== 'run:finished') return;
    if (isText && this.#isAfterCalls) this.#options.print('\n');
    this.#isAfterCalls = false;
  }

  /** The end of text and reasoning that is not complete enough to be printed. */
  unfinishedLines(columns: number): string[] {
    const { paint } = this.#options;
    // Text without blanks, such as Chinese, must be seen to grow too.
    const lines = (text: string, width: number) =>
      text === ''
        ? []
        : wrapText(text, width)
            .trimEnd()
            .split('\n')
            .flatMap((line) => breakLine(line, width));
    return [
      ...lines(this.#renderer.pendingText, columns).slice(-LIVE_LINES),
      ...lines(this.#reasoning.text, columns - 2)
        .slice(-LIVE_REASONING_LINES)
        .map((line) => paint.dim(`  ${line}`)),
    ];
  }

  /** The current activity: the running tool, the model thinking or writing, the time until the next try. */
  activityLines(columns: number): string[] {
    return this.#status.lines(performance.now(), columns);
  }

  /** The child sessions that calls wait for, or those in the background. */
  childLines(which: 'waited for' | 'background', columns: number): string[] {
    return this.#status.childLines(which, columns);
  }

  #textOf(event: LonghaulEvent): string {
    switch (event.type) {
      case 'context:usage':
        return this.#renderer.endText();
      case 'run:finished':
        return this.#renderer.endText() + this.#endOf(event);
      case 'context:compressed':
        return this.#withHint(this.#renderer.render(event).trimEnd());
      case 'message:dequeued':
      case 'message:queued':
        return '';
      default:
        return this.#renderer.render(event);
    }
  }

  #endOf(event: EventOf<'run:finished'>): string {
    const { paint, columns } = this.#options;
    return runEndText(event, { durationMs: event.at - this.#startedAt, columns: columns(), paint });
  }

  /** Names the key that opens what was shortened, on a line of its own if it does not fit behind the text. */
  #withHint(text: string): string {
    const { paint, columns } = this.#options;
    const hint = ' · Ctrl-O opens it';
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const isRoom = widthOf(last) + hint.length <= columns();
    return `${text}${isRoom ? paint.dim(hint) : `\n  ${paint.dim('Ctrl-O opens it')}`}\n`;
  }

  /** What is shown shortened can be opened. */
  #remember(event: LonghaulEvent): void {
    const { openables, paint } = this.#options;
    if (event.type === 'llm:tool-call') this.#calls.set(event.callId, event.args);
    if (event.type === 'context:compressed') {
      const { sessionId, round } = event;
      const text = () => this.#options.compactionText(sessionId, round);
      openables.add({ title: `Compaction ${round}`, text });
    }
    if (event.type !== 'llm:tool-result') return;
    const args = this.#calls.get(event.callId) ?? null;
    this.#calls.delete(event.callId);
    if (event.toolName === 'todo' && event.success) this.todo = todoItemsOf(event.metadata) ?? this.todo;
    const { metadata } = event;
    const whole = { args, metadata, paint, columns: this.#options.columns() };
    const text = toolDetails(event, { ...whole, verbose: true });
    if (text === toolDetails(event, { ...whole, verbose: false })) return;
    openables.add({ title: `${event.toolName} ${fitLine(event.title ?? '', 60)}`, text: () => text });
  }

  #addReasoning(event: EventOf<'llm:chunk'>): void {
    if (this.#reasoning.add(event)) this.#options.print(this.#renderer.endText());
  }

  #endReasoning(at: number): void {
    const { paint, print, openables, columns } = this.#options;
    const thought = this.#reasoning.end(at, columns());
    if (thought === undefined) return;
    print(this.#withHint(paint.dim(thought.line)));
    openables.add({ title: thought.title, text: () => thought.text });
  }
}

import {
  describePatch,
  describeSwitch,
  type EventOf,
  isBlank,
  type JsonValue,
  type LonghaulEvent,
  originName,
  type SubtaskFacts,
  shownModel,
} from '@longhaul/protocol';
import { comesBesideText } from './beside-text.ts';
import { fitLine, formatDuration, formatTokens, plural, widthOf } from './format.ts';
import { contextMeter } from './meter.ts';
import { createPaint, type Paint } from './paint.ts';
import { field, runSummary, wrappedField } from './run-summary.ts';
import { childFigures } from './running-children.ts';
import { toolDetails } from './tool-details.ts';
import { toolLine } from './tool-line.ts';
import { WordWrapper, wrapText } from './word-wrapper.ts';

export interface RunRendererOptions {
  columns: number;
  colors: boolean;
  /** Ends with the outcome alone: the caller prints the rest. Default false. */
  shortSummary?: boolean;
  /** Shown when the run has not completed. */
  resumeCommand?: string;
  /** Shows changes and outputs whole. Default false. */
  verbose?: boolean;
  /** Prints which child sessions start, because no redrawn line shows them. Default false. */
  announcesChildren?: boolean;
  /** Renders the model's text. Default: breaks it at words. */
  markdown?: (options: { columns: number; paint: Paint }) => TextFlow;
}

/** Turns text that comes in pieces into lines. */
interface TextFlow {
  push(text: string): string;
  /** Ends the text and an unfinished line. */
  end(): string;
  /** The text that is held back until its block is complete. */
  readonly pending?: string;
}

export interface RunHeader {
  model: string;
  /** Address of the model, if it is not the configured one. */
  server?: string;
  window: string;
  sandbox: string;
  workspace: string;
  task: string;
}

/**
 * Turns the events of a run into text for a person. Keeps state between events, but uses no clock and writes no output.
 */
export class RunRenderer {
  readonly #options: RunRendererOptions;
  readonly #paint: Paint;
  readonly #calls = new Map<string, { args: JsonValue; at: number }>();
  #text: { kind: 'text' | 'reasoning'; flow: TextFlow; isWhole: boolean } | undefined;
  /** Lines for the end of the model's text. */
  #delayed = '';
  #steps = 0;
  #hasTask = false;
  /** Of the next step. A run that learns a smaller window reports its usage more than once before a step. */
  #usage: EventOf<'context:usage'> | undefined;
  #startedAt: number | undefined;
  #retryReason: string | undefined;
  /** The children that have ended in this run. */
  readonly #children = new Map<string, SubtaskFacts>();

  constructor(options: RunRendererOptions) {
    this.#options = options;
    this.#paint = createPaint(options.colors);
  }

  /** The output ends with a line break, so that lines can be drawn below it. */
  get isAtLineStart(): boolean {
    return this.#text?.isWhole ?? true;
  }

  /** The model's text that is held back until its block is complete. */
  get pendingText(): string {
    return this.#text?.flow.pending ?? '';
  }

  header({ model, server, window, sandbox, workspace, task }: RunHeader): string {
    const paint = this.#paint;
    const room = this.#options.columns - 9;
    const [first = '', ...more] = task.trim().split('\n');
    const rest = more.length === 0 ? '' : paint.dim(` (+${plural(more.length, 'line')})`);
    return `${[
      field('task', `${fitLine(first, room - (more.length === 0 ? 0 : 12))}${rest}`, paint),
      wrappedField('model', `${shownModel(model)}, ${window}`, { columns: this.#options.columns, paint }),
      ...(server === undefined ? [] : [field('server', fitLine(server, room), paint)]),
      field('sandbox', fitLine(sandbox, room), paint),
      field('folder', fitLine(workspace, room), paint),
    ].join('\n')}\n`;
  }

  /** Returns lines that need not wait for the end of the model's text. */
  aside(event: LonghaulEvent): string {
    // The header shows the task itself.
    if (event.type !== 'message:queued' || !this.#hasTask) return '';
    return this.#marked('▸ queued', `a message, at position ${event.position}`);
  }

  render(event: LonghaulEvent): string {
    if (event.type === 'llm:chunk') return this.#chunk(event);
    if (comesBesideText(event)) {
      const line = this.#line(event);
      if (this.#text === undefined) return line;
      this.#delayed += line;
      return '';
    }
    const before = this.endText();
    return before + this.#line(event);
  }

  #line(event: Exclude<LonghaulEvent, { type: 'llm:chunk' }>): string {
    switch (event.type) {
      case 'run:started':
        this.#startedAt = event.at;
        return '';
      case 'context:usage':
        this.#usage = event;
        return '';
      case 'llm:thinking':
        return this.#stepRule();
      case 'llm:tool-call':
        this.#calls.set(event.callId, { args: event.args, at: event.at });
        return '';
      case 'llm:tool-result':
        return this.#toolResult(event);
      case 'context:compressed':
        return this.#marked('◆ compacted', compressed(event));
      case 'context:pruned':
        return this.#marked(
          '◇ pruned',
          `${plural(event.prunedCount, 'old tool output')}, ${formatTokens(event.savedTokens)} tokens saved`,
        );
      case 'context:undone':
        return this.#marked('◇ undone', `compaction ${event.round}`);
      case 'files:changed':
        return event.before === undefined ? '' : this.#marked('◇ files', describePatch(event));
      case 'process:started':
        return event.isKept === true
          ? this.#marked('◇ kept', `${event.handle} outlives the run (longhaul ps): ${event.command}`)
          : '';
      case 'subtask:started':
        return this.#options.announcesChildren === true ? this.#childStarted(event) : '';
      case 'subtask:finished':
        return this.#childFinished(event);
      case 'llm:switched':
        return this.#marked('◇ model', describeSwitch(event));
      case 'context:warning':
      case 'budget:warning':
      case 'run:repaired':
        return this.#remark(event.message);
      case 'message:dequeued':
        return this.#delivered(event);
      case 'llm:unsupported-input':
        return event.errors.map((error) => this.#remark(error)).join('');
      case 'llm:retry':
        return this.#retry(event);
      case 'llm:error':
        return event.context === undefined ? '' : this.#remark(`${event.context}: ${event.error.message}`);
      case 'approval:answered':
        return event.allowed ? '' : this.#refused(event.reason);
      case 'run:finished':
        return this.#finished(event);
      default:
        return '';
    }
  }

  #refused(reason: string | undefined): string {
    return this.#remark(reason === undefined ? 'not allowed' : `not allowed: ${reason}`);
  }

  #chunk({ chunkType, content }: EventOf<'llm:chunk'>): string {
    let out = '';
    if (this.#text?.kind !== chunkType) {
      // Models often begin with empty lines.
      if (isBlank(content)) return '';
      out = this.endText();
      this.#text = this.#beginText(chunkType);
    }
    const piece = this.#text?.flow.push(content) ?? '';
    return out + (chunkType === 'reasoning' ? this.#paint.dim(piece) : piece);
  }

  #beginText(kind: 'text' | 'reasoning') {
    const { columns, markdown } = this.#options;
    if (kind === 'reasoning') return { kind, flow: new WordWrapper(columns, '  '), isWhole: false };
    if (markdown === undefined) return { kind, flow: new WordWrapper(columns), isWhole: false };
    return { kind, flow: markdown({ columns, paint: this.#paint }), isWhole: true };
  }

  /** Ends the model's text. */
  endText(): string {
    const text = this.#text;
    const delayed = this.#delayed;
    this.#text = undefined;
    this.#delayed = '';
    const rest = text?.flow.end() ?? '';
    return (text?.kind === 'reasoning' ? this.#paint.dim(rest) : rest) + delayed;
  }

  #toolResult(event: EventOf<'llm:tool-result'>): string {
    const call = this.#calls.get(event.callId);
    this.#calls.delete(event.callId);
    const { columns, verbose = false } = this.#options;
    const { durationMs, metadata } = event;
    const shown = { args: call?.args ?? null, columns, paint: this.#paint };
    return toolLine(event, { ...shown, durationMs }) + toolDetails(event, { ...shown, metadata, verbose });
  }

  #childStarted({ agent, handle, title }: EventOf<'subtask:started'>): string {
    return this.#marked('◇ child', `${handle} started, ${agent}: ${fitLine(title, 100)}`);
  }

  /** The result of a call shows the end of a child that the call has waited for. */
  #childFinished({ handle, facts }: EventOf<'subtask:finished'>): string {
    this.#children.set(facts.sessionId, facts);
    if (facts.isBackground !== true) return '';
    return this.#marked('◇ child', `${handle} ${facts.agent} ${facts.state} · ${childFigures(facts)}`);
  }

  #remark(text: string, sign = '!'): string {
    const lines = wrapText(text, this.#options.columns - 2)
      .trimEnd()
      .split('\n');
    return `${lines.map((line, index) => `${index === 0 ? this.#paint.warn(sign) : ' '} ${line}`).join('\n')}\n`;
  }

  #marked(head: string, text: string): string {
    const lines = wrapText(`${head} ${text}`, this.#options.columns - 2)
      .trimEnd()
      .split('\n');
    return `${lines.join('\n  ').replace(head, this.#paint.note(head))}\n`;
  }

  /** The first message is the task itself; the others were sent to the session. */
  #delivered({ count, origins = [] }: EventOf<'message:dequeued'>): string {
    const written = count - origins.length;
    const sent = this.#hasTask || written === 0 ? count : count - 1;
    this.#hasTask ||= written > 0;
    const from = origins.length === 0 ? '' : ` by ${[...new Set(origins.map(originName))].join(', ')}`;
    return sent === 0
      ? ''
      : this.#marked('▸ delivered', `${plural(sent, 'message')} sent to this session${from}`);
  }

  /** Prints the reason once, however often the call is retried. */
  #retry({ attempt, delayMs, reason, nextTryAt }: EventOf<'llm:retry'>): string {
    const isKnown = reason === this.#retryReason;
    this.#retryReason = reason;
    const isLong = delayMs >= LONG_WAIT_MS && nextTryAt !== undefined;
    const at = isLong ? `, at ${clockTime(nextTryAt)}` : '';
    const next = `Try ${attempt + 1} in ${formatDuration(delayMs)}${at}.`;
    return this.#remark(isKnown ? next : `${reason} ${next}`, '↻');
  }

  #finished(event: EventOf<'run:finished'>): string {
    const { shortSummary: isShort = false, resumeCommand } = this.#options;
    const durationMs = this.#startedAt === undefined ? undefined : event.at - this.#startedAt;
    return (
      this.#rule('', '') +
      runSummary(
        { finished: event, durationMs, isShort, resumeCommand, children: [...this.#children.values()] },
        { columns: this.#options.columns, paint: this.#paint },
      )
    );
  }

  /** `── 12 ───────── ctx ▓▓▓░░░ 31 % 5k/16k` */
  #stepRule(): string {
    const usage = this.#usage;
    this.#usage = undefined;
    if (usage === undefined) return '';
    this.#steps += 1;
    return this.#rule(`${this.#steps}`, contextMeter(usage, this.#paint));
  }

  #rule(label: string, right: string): string {
    const { columns } = this.#options;
    const left = label === '' ? '' : ` ${label} `;
    const end = right === '' ? '' : ` ${right}`;
    const line = Math.max(2, columns - 2 - widthOf(left) - widthOf(end));
    return `${this.#paint.dim(`──${left}${'─'.repeat(line)}`)}${end}\n`;
  }
}

/** For a longer wait, the time of its end is printed too. */
const LONG_WAIT_MS = 30_000;

/** `14:03:07`, local time. */
function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

function compressed(event: EventOf<'context:compressed'>): string {
  const why = event.reason === 'overflow' ? ', the server refused more' : '';
  return (
    `${formatTokens(event.originalTokens)} → ${formatTokens(event.compressedTokens)} tokens, ` +
    `${event.originalMessages} → ${event.compressedMessages} messages (${event.strategy}, round ${event.round}${why})`
  );
}

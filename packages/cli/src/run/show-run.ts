import type { Runtime } from '@longhaul/core';
import type { EventOf, LonghaulEvent } from '@longhaul/protocol';
import { createLiveLine, createPlainLine, type LiveLine } from '../render/live-line.ts';
import { LiveStatus } from '../render/live-status.ts';
import { type RunHeader, RunRenderer, type RunRendererOptions } from '../render/run-renderer.ts';
import { answerText } from '../safe-terminal.ts';
import { canAnimate, columnsOf, type Terminal, wantsColors } from '../terminal.ts';

export type Display = 'events' | 'progress' | 'answer';

export interface RunDisplay extends Disposable {
  header(header: RunHeader): void;
  /** Holds the output back until the result is disposed, so that a question has the terminal alone. */
  pause(): Disposable;
  /** Shows what is typed during the run. Undefined if nothing can be drawn below the output. */
  readonly live: Pick<LiveLine, 'insert' | 'setInput'> | undefined;
  /** The event that ended the run. */
  readonly finished: EventOf<'run:finished'> | undefined;
}

export interface ShowRunOptions {
  /** Events of other sessions, such as its children, are not shown. */
  sessionId: string;
  /** `events`: one JSON line each; `progress`: text for a person; `answer`: only the final text. */
  display: Display;
  noColor?: boolean;
  shortSummary?: boolean;
  /** Shown when the run has not completed. */
  resumeCommand?: string;
  /** Shows changes and outputs whole. Default false. */
  verbose?: boolean;
  /** Renders the model's text. Default: as it comes. */
  markdown?: RunRendererOptions['markdown'];
}

/** Shows a session's events as they come, until disposed. */
export function showRun(
  runtime: Pick<Runtime, 'subscribe'>,
  terminal: Terminal,
  options: ShowRunOptions,
): RunDisplay {
  let finished: EventOf<'run:finished'> | undefined;
  let runId: string | undefined;
  const view = createView(terminal, options);
  const end = runtime.subscribe((event) => {
    if (event.sessionId !== options.sessionId) return;
    // After this run, another process may work on the session: its events are not shown here.
    if (finished !== undefined && options.display !== 'events') return;
    if (event.type === 'run:started') runId = event.runId;
    if (event.type === 'run:finished' && event.runId !== runId) {
      // The end of an earlier run that died: programs need the event, a person reads the repair.
      if (options.display === 'events') view.show(event);
      return;
    }
    if (event.type === 'run:finished') finished = event;
    view.show(event);
  });
  // A second Ctrl-C ends the process at once: the status line must not stay on the screen.
  process.once('exit', view.end);
  return {
    header: view.header,
    pause: view.pause,
    live: view.live,
    get finished() {
      return finished;
    },
    [Symbol.dispose]() {
      process.off('exit', view.end);
      end();
      view.end();
    },
  };
}

/** Loads the renderer of Markdown. Undefined unless a person reads the run in colours. */
export async function loadMarkdown(
  terminal: Terminal,
  { display, noColor }: Pick<ShowRunOptions, 'display' | 'noColor'>,
): Promise<ShowRunOptions['markdown']> {
  if (display !== 'progress' || !canAnimate(terminal, wantsColors(terminal, noColor))) return undefined;
  const { MarkdownStream } = await import('../render/markdown.ts');
  return (options) => new MarkdownStream(options);
}

interface View {
  header(header: RunHeader): void;
  pause(): Disposable;
  live?: LiveLine;
  show(event: LonghaulEvent): void;
  end(): void;
}

function createView(terminal: Terminal, options: ShowRunOptions): View {
  if (options.display === 'events') return eventView(terminal);
  return options.display === 'answer' ? answerView(terminal, options) : progressView(terminal, options);
}

/** Displays without a person ask no questions. */
const neverPaused = (): Disposable => ({ [Symbol.dispose]: () => undefined });

function eventView({ out }: Terminal): View {
  return {
    header: () => undefined,
    pause: neverPaused,
    show: (event) => void out.write(`${JSON.stringify(event)}\n`),
    end: () => undefined,
  };
}

function answerView({ out, err }: Terminal, { resumeCommand }: ShowRunOptions): View {
  return {
    header: () => undefined,
    pause: neverPaused,
    show(event) {
      if (isRemark(event)) {
        err.write(`longhaul: ${event.message}\n`);
      }
      if (event.type !== 'run:finished') return;
      if (event.text !== '') out.write(`${answerText(out, event.text).trimEnd()}\n`);
      if (event.error !== undefined) err.write(`longhaul: ${event.error.message}\n`);
      if (event.status !== 'completed' && resumeCommand !== undefined)
        err.write(`To resume: ${resumeCommand}\n`);
    },
    end: () => undefined,
  };
}

function progressView(terminal: Terminal, { noColor, ...options }: ShowRunOptions): View {
  const { out } = terminal;
  const colors = wantsColors(terminal, noColor);
  const columns = columnsOf(out);
  const isLive = canAnimate(terminal, colors);
  const renderer = new RunRenderer({ ...options, columns, colors, announcesChildren: !isLive });
  const status = new LiveStatus();
  const live: LiveLine = isLive
    ? createLiveLine(out, () => status.lines(performance.now(), columns - 3))
    : createPlainLine(out);
  return {
    header: (header) => live.write(renderer.header(header), true),
    pause: () => live.hold(),
    ...(isLive ? { live } : {}),
    show(stored) {
      // Times on the screen are durations, and the clock of the stored time can be set.
      const event = { ...stored, at: performance.now() };
      status.update(event);
      const aside = renderer.aside(event);
      if (aside !== '') live.insert(aside);
      live.write(renderer.render(event), renderer.isAtLineStart);
    },
    end: () => live.end(),
  };
}

type Remark = EventOf<'context:warning' | 'budget:warning' | 'run:repaired'>;

function isRemark(event: LonghaulEvent): event is Remark {
  const { type } = event;
  return type === 'context:warning' || type === 'budget:warning' || type === 'run:repaired';
}

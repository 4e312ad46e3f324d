import type { EventOf, JsonValue, LonghaulEvent } from '@longhaul/protocol';
import { cutLine, cutStart, fitLine, formatDuration, printable } from './format.ts';
import { RunningChildren } from './running-children.ts';
import { shortArguments } from './tool-line.ts';

interface RunningTool {
  name: string;
  about: string;
  /** The tool's own report, such as the last line of a command. */
  title: string;
  /** The last lines of a command. */
  lines: readonly string[];
  since: number;
}

/**
 * Describes the current activity in lines that are redrawn: the running tool, the model thinking or writing, the time
 * until the next try. The time is passed in.
 */
export class LiveStatus {
  /** The end of the text that the model writes is part of the line. */
  readonly #showsText: boolean;
  /** Children in the background are among the lines. */
  readonly #showsBackground: boolean;
  readonly #tools = new Map<string, RunningTool>();
  readonly #children = new RunningChildren();
  #state: { text: string; since: number; until?: number; tail?: string } | undefined;

  constructor({ showsText = true, showsBackground = true } = {}) {
    this.#showsText = showsText;
    this.#showsBackground = showsBackground;
  }

  update(event: LonghaulEvent): void {
    this.#children.update(event);
    switch (event.type) {
      case 'run:started':
        // This can take minutes, if an image is pulled.
        this.#state = { text: 'opening the sandbox', since: event.at };
        return;
      case 'llm:thinking':
        this.#state = { text: 'thinking', since: event.at };
        return;
      case 'llm:chunk':
        if (event.chunkType === 'text') this.#writing(event);
        return;
      case 'llm:tool-call':
        this.#tools.set(event.callId, toolOf(event));
        return;
      case 'llm:tool-progress':
        this.#progress(event);
        return;
      case 'llm:tool-result':
        this.#tools.delete(event.callId);
        return;
      case 'llm:retry':
        this.#state = { text: 'next try', since: event.at, until: event.at + event.delayMs };
        return;
      case 'session:status':
        if (event.status === 'compacting') this.#state = { text: 'compacting', since: event.at };
        else if (event.status !== 'retrying') this.#state = undefined;
        return;
      case 'llm:response':
      case 'run:finished':
        this.#state = undefined;
        return;
    }
  }

  /** Empty if no activity is known. */
  lines(now: number, columns: number): string[] {
    return [
      ...this.#ownLines(now, columns),
      ...this.childLines('waited for', columns),
      ...(this.#showsBackground ? this.childLines('background', columns) : []),
    ];
  }

  /** A line for each child session that a call waits for, or for each in the background. */
  childLines(which: 'waited for' | 'background', columns: number): string[] {
    return this.#children.lines(which, columns);
  }

  #ownLines(now: number, columns: number): string[] {
    if (this.#state === undefined) return this.#toolLines(now, columns);
    const { text, since, until, tail } = this.#state;
    const time = formatDuration(until === undefined ? now - since : until - now);
    if (tail !== undefined)
      return [line(`${text} ${cutStart(tail, columns - text.length - time.length - 2)}`, time, columns)];
    return [line(until === undefined ? text : `${text} in`, time, columns)];
  }

  #toolLines(now: number, columns: number): string[] {
    const running = [...this.#tools].flatMap(([callId, each]) =>
      this.#children.isWaitedForBy(callId) ? [] : [each],
    );
    const [tool, ...others] = running;
    if (tool === undefined) return [];
    const more = others.length === 0 ? '' : ` +${others.length}`;
    const last = tool.title === '' || tool.lines.length > 0 ? '' : ` · ${tool.title}`;
    const about = `${tool.name} ${tool.about}${more}${last}`;
    return [
      line(about, formatDuration(now - tool.since), columns),
      ...tool.lines.map((text) => cutLine(printable(text), columns)),
    ];
  }

  /** The end of the line that the model writes: the text itself is shown block by block. */
  #writing({ content, at }: EventOf<'llm:chunk'>): void {
    const { since = at, tail = '' } = this.#state?.text === 'writing' ? this.#state : {};
    const text = printable(tail + content);
    const last = text.slice(text.lastIndexOf('\n') + 1).slice(-MAX_TAIL);
    this.#state = { text: 'writing', since, ...(this.#showsText && { tail: last }) };
  }

  #progress({ callId, title = '', metadata }: EventOf<'llm:tool-progress'>): void {
    const tool = this.#tools.get(callId);
    if (tool === undefined) return;
    const lines = metadata?.['lines'];
    tool.title = title;
    tool.lines = Array.isArray(lines) ? lines.filter((text) => typeof text === 'string') : [];
  }
}

const MAX_TAIL = 300;

function toolOf(event: { toolName: string; args: JsonValue; at: number }): RunningTool {
  const about = shortArguments(event.args).slice(0, 200);
  return { name: event.toolName, about, title: '', lines: [], since: event.at };
}

function line(text: string, time: string, columns: number): string {
  return `${fitLine(text, columns - time.length - 1)} ${time}`;
}

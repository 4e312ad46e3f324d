import type { JsonValue, LonghaulEvent } from '@longhaul/protocol';
import { fitLine, formatDuration } from './format.ts';
import { shortArguments } from './tool-line.ts';

/**
 * What happens right now, in one line that is drawn over: the running tool, the model thinking, the time until the next try. Pure: the
 * time is passed in.
 */
export class LiveStatus {
  readonly #tools = new Map<string, { name: string; about: string; last: string; since: number }>();
  #state: { text: string; since: number; until?: number } | undefined;

  update(event: LonghaulEvent): void {
    switch (event.type) {
      case 'run:started':
        // It may take minutes: an image may have to be fetched.
        this.#state = { text: 'opening the sandbox', since: event.at };
        return;
      case 'llm:thinking':
        this.#state = { text: 'thinking', since: event.at };
        return;
      case 'llm:tool-call':
        this.#tools.set(event.callId, toolOf(event));
        return;
      case 'llm:tool-progress':
        this.#progress(event.callId, event.title ?? '');
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

  /** Undefined: nothing is known to happen. */
  text(now: number, columns: number): string | undefined {
    const [tool, ...others] = this.#tools.values();
    if (tool !== undefined && this.#state === undefined) {
      const more = others.length === 0 ? '' : ` +${others.length}`;
      const last = tool.last === '' ? '' : ` · ${tool.last}`;
      return line(`${tool.name} ${tool.about}${more}${last}`, formatDuration(now - tool.since), columns);
    }
    if (this.#state === undefined) return undefined;
    const { text, since, until } = this.#state;
    const time = until === undefined ? now - since : until - now;
    return line(until === undefined ? text : `${text} in`, formatDuration(time), columns);
  }

  #progress(callId: string, title: string): void {
    const tool = this.#tools.get(callId);
    if (tool !== undefined) tool.last = title;
  }
}

function toolOf(event: { toolName: string; args: JsonValue; at: number }) {
  return { name: event.toolName, about: shortArguments(event.args).slice(0, 200), last: '', since: event.at };
}

function line(text: string, time: string, columns: number): string {
  return `${fitLine(text, columns - time.length - 1)} ${time}`;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { NodeSlots } from './node-slots.ts';

/** Reads the events of a session from one server after the other, as a client does that loses its connection. */
export class NodeReader {
  readonly events: LonghaulEvent[] = [];
  readonly #slots: NodeSlots;
  readonly #sessionId: string;

  constructor(slots: NodeSlots, sessionId: string) {
    this.#slots = slots;
    this.#sessionId = sessionId;
  }

  async read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#readOnce(signal);
      } catch {
        // The server was killed, or stopped.
      }
      await sleep(100);
    }
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const node = this.#slots.any();
    if (node === undefined) return;
    const after = this.events.at(-1)?.number ?? 0;
    const answer = await fetch(`${node.url}/api/sessions/${this.#sessionId}/events?after=${after}`, {
      signal,
    });
    let rest = '';
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const frames = `${rest}${piece}`.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) this.#take(/^data: ?(.*)$/m.exec(frame)?.[1]);
    }
  }

  #take(data: string | undefined): void {
    if (data === undefined || data === '') return;
    const event = JSON.parse(data) as LonghaulEvent;
    if (event.number !== undefined) this.events.push(event);
  }
}

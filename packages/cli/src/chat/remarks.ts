import { toLonghaulError } from '@longhaul/protocol';
import { wrapText } from '../render/word-wrapper.ts';
import type { Front } from './front.ts';
import { problemText } from './problem-text.ts';

/** What the chat itself says, between the lines of the conversation. */
export class Remarks {
  readonly #front: Front;

  constructor(front: Front) {
    this.#front = front;
  }

  say(text: string): void {
    const { surface, paint, columns } = this.#front;
    const lines = wrapText(text, columns - 2)
      .trimEnd()
      .split('\n');
    surface.print(lines.map((line, index) => `${index === 0 ? paint.warn('!') : ' '} ${line}\n`).join(''));
  }

  /** Reports a failure, and continues. */
  async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.say(problemText(toLonghaulError(error)));
    }
    this.#front.surface.redraw();
  }
}

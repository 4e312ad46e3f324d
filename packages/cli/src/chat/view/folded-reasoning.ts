import { type EventOf, isBlank } from '@longhaul/protocol';
import { formatDuration, plural } from '../../render/format.ts';
import { wrapText } from '../../render/word-wrapper.ts';

export interface Thought {
  /** One line that stands for it. */
  line: string;
  title: string;
  text: string;
}

/** Reasoning that is shown while it arrives, and is one line afterwards. */
export class FoldedReasoning {
  #thought: { text: string; since: number } | undefined;

  /** What has arrived since the last end. */
  get text(): string {
    return this.#thought?.text ?? '';
  }

  /** Returns whether reasoning begins with it. */
  add({ content, at }: EventOf<'llm:chunk'>): boolean {
    const isFirst = this.#thought === undefined;
    if (isFirst && isBlank(content)) return false;
    this.#thought = { text: this.text + content, since: this.#thought?.since ?? at };
    return isFirst;
  }

  end(at: number, columns: number): Thought | undefined {
    const thought = this.#thought;
    this.#thought = undefined;
    if (thought === undefined) return undefined;
    const text = wrapText(thought.text, columns);
    const size = plural(text.trimEnd().split('\n').length, 'line');
    const line = `∴ thought for ${formatDuration(at - thought.since)}, ${size}`;
    return { line, title: `Reasoning, ${size}`, text };
  }
}

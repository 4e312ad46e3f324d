import type { StepEvent } from '@longhaul/core';
import { type AnswerPiece, createThinkingSplitter, type ThinkingSplitter } from '@longhaul/models';
import { createTextCallScanner, type TextCallScanner } from './text-calls/text-call-scanner.ts';
import type { CallText } from './text-calls/text-call-verdict.ts';

type TextEvent = Extract<StepEvent, { type: `text-${'start' | 'delta' | 'end'}` }>;
type Metadata = Extract<StepEvent, { type: 'text-end' }>['providerMetadata'];
type Kind = 'text' | 'reasoning';

/** Turns the text of an answer into blocks of reasoning and text, and holds back what can be a tool call. */
export class AnswerText {
  readonly #isTool: ((name: string) => boolean) | undefined;
  #scanner: TextCallScanner | undefined;
  /** The texts of the stream that have not ended. */
  readonly #splitters = new Map<string, ThinkingSplitter>();
  /** Ids of texts that have had content. */
  readonly #withContent = new Set<string>();
  #open: { kind: Kind; id: string } | undefined;
  /** Id of the newest text of the stream. */
  #current = 'text';
  readonly #usedIds = new Set<string>();

  /** @param isTool Whether a name means a tool. Undefined: the text is not searched for calls. */
  constructor(isTool: ((name: string) => boolean) | undefined) {
    this.#isTool = isTool;
    this.#scanner = isTool && createTextCallScanner(isTool);
  }

  of(event: TextEvent): StepEvent[] {
    const splitter = this.#splitters.get(event.id) ?? createThinkingSplitter();
    this.#splitters.set(event.id, splitter);
    this.#current = event.id;
    if (event.type === 'text-start') {
      this.#scanner?.startBlock();
      return [];
    }
    if (event.type === 'text-delta') {
      this.#withContent.add(event.id);
      return this.#sayAll(splitter.push(event.text));
    }
    const events = this.#sayAll(splitter.end());
    this.#splitters.delete(event.id);
    const { providerMetadata } = event;
    // A text without content can carry a signature.
    if (!this.#withContent.delete(event.id) && providerMetadata !== undefined)
      events.push(...this.#ensureOpen('text'));
    return [...events, ...this.#close(providerMetadata)];
  }

  /**
   * Returns the text of the answer, divided where tool calls can begin. Nothing is held back any more. Undefined if the
   * text is not searched for calls.
   */
  takeCall(): { events: StepEvent[]; said: CallText | undefined } {
    return { events: this.#endTexts(), said: this.#scanner?.take() };
  }

  say(text: string): StepEvent[] {
    return text === '' ? [] : [...this.#ensureOpen('text'), this.#delta(text)];
  }

  /** Passes everything on that is held back. The block stays open. */
  rest(): StepEvent[] {
    return [...this.#endTexts(), ...this.say(this.#scanner?.take().text ?? '')];
  }

  /** Passes everything on that is held back, and closes the block. */
  release(): StepEvent[] {
    return [...this.rest(), ...this.#close(undefined)];
  }

  #endTexts(): StepEvent[] {
    const events = [...this.#splitters.values()].flatMap((splitter) => this.#sayAll(splitter.end()));
    this.#splitters.clear();
    return events;
  }

  #sayAll(pieces: readonly AnswerPiece[]): StepEvent[] {
    return pieces.flatMap((piece) => {
      if (piece.kind === 'text-was-reasoning') return this.#turnIntoReasoning();
      const { kind, text } = piece;
      if (kind === 'reasoning') this.#scanner?.startBlock();
      const shown = kind === 'text' && this.#scanner !== undefined ? this.#scanner.push(text) : text;
      return shown === '' ? [] : [...this.#ensureOpen(kind), this.#delta(shown)];
    });
  }

  /** Turns the open text into reasoning, with what is held back of it: a call in a thought is none. */
  #turnIntoReasoning(): StepEvent[] {
    const rest = this.#scanner?.take().text ?? '';
    this.#scanner = this.#isTool && createTextCallScanner(this.#isTool);
    const open = this.#open;
    if (open?.kind === 'text') this.#open = { kind: 'reasoning', id: open.id };
    const events: StepEvent[] = open?.kind === 'text' ? [{ type: 'text-is-reasoning', id: open.id }] : [];
    return rest === '' ? events : [...events, ...this.#ensureOpen('reasoning'), this.#delta(rest)];
  }

  #ensureOpen(kind: Kind): StepEvent[] {
    if (this.#open?.kind === kind) return [];
    const closed = this.#close(undefined);
    const isFirst = kind === 'text' && !this.#usedIds.has(this.#current);
    const id = isFirst ? this.#current : `${this.#current}-${kind}-${this.#usedIds.size + 1}`;
    this.#usedIds.add(id);
    this.#open = { kind, id };
    return [...closed, { type: `${kind}-start`, id: this.#open.id }];
  }

  #delta(text: string): StepEvent {
    const { kind, id } = this.#open ?? { kind: 'text', id: '' };
    return { type: `${kind}-delta`, id, text };
  }

  /** The metadata of a text belongs to its text, not to thoughts in it. */
  #close(metadata: Metadata): StepEvent[] {
    const open = this.#open;
    if (open === undefined) return [];
    this.#open = undefined;
    const providerMetadata = open.kind === 'text' ? metadata : undefined;
    return [{ type: `${open.kind}-end`, id: open.id, providerMetadata }];
  }
}

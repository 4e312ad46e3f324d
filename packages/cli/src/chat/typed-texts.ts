import { toLonghaulError } from '@longhaul/protocol';
import type { KeptTexts } from './composer/kept-texts.ts';
import type { Surface } from './surface/surface.ts';

/** Owns the draft of a conversation without a session. */
const NEW = 'new';
const DRAFT_MS = 200;

/** What a person types: keeps the draft in the composer and the sent messages, also if the chat is killed. */
export class TypedTexts {
  readonly #surface: Surface;
  readonly #kept: KeptTexts;
  #timer: NodeJS.Timeout | undefined;
  /** The id of a session, or `NEW`. Undefined until a draft is open. */
  #draftOf: string | undefined;
  #saysUnkept = false;

  constructor(surface: Surface, kept: KeptTexts) {
    this.#surface = surface;
    this.#kept = kept;
  }

  /** Messages that were sent in this folder, the oldest first. */
  history(): string[] {
    return this.#kept.history();
  }

  showHistory(): void {
    this.#keeping(() => {
      for (const text of this.history()) this.#surface.addToHistory(text);
    });
  }

  remember(text: string): void {
    this.#surface.addToHistory(text);
    this.#keeping(() => this.#kept.remember(text));
  }

  /**
   * Shows the draft of a session, or of a conversation that has none yet. What is in the composer moves along, below the
   * draft.
   */
  openDraft(sessionId: string | undefined): void {
    const owner = sessionId ?? NEW;
    if (owner === this.#draftOf) return;
    this.#draftOf = owner;
    this.#keeping(() => {
      const { drafts } = this.#kept;
      const typed = this.#surface.text;
      drafts.keep('');
      const draft = drafts.open(sessionId);
      if (draft === '') drafts.keep(typed);
      else this.#surface.text = joined([draft, typed]);
    });
  }

  /** The text in the composer has changed. */
  keepSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#keeping(() => this.#kept.drafts.keep(this.#surface.text));
    }, DRAFT_MS);
  }

  /** Keeps the text in the composer, and texts that were entered and not sent. */
  end(entered: readonly string[]): void {
    clearTimeout(this.#timer);
    const isUnsent = joined([...entered, this.#surface.text]) !== '';
    if (this.#draftOf === undefined && isUnsent) this.openDraft(undefined);
    const unsent = joined([...entered, this.#surface.text]);
    this.#keeping(
      () => this.#kept.drafts.keep(unsent),
      () => this.#surface.print(unsent === '' ? '' : `This was not sent:\n${unsent}\n`),
    );
  }

  /** Reports once that drafts or history cannot be stored, for example on a full disk. The chat works without them. */
  #keeping(work: () => void, otherwise: () => void = () => undefined): void {
    try {
      work();
    } catch (error) {
      if (!this.#saysUnkept)
        this.#surface.print(
          `Drafts and earlier messages cannot be kept: ${toLonghaulError(error).message}\n`,
        );
      this.#saysUnkept = true;
      otherwise();
    }
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

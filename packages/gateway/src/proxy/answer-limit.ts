import { shorterAnswer } from '@longhaul/context/engine';
import { minAnswerRoom } from '../compaction/output-room.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { KnownWindow } from '../upstream/window-book.ts';

export interface AnswerLimitOptions {
  upstream: Upstream;
  /** `max_tokens` of the client. */
  wantedTokens: number | undefined;
  warn: (message: string) => void;
}

/** A request and the window that it is sent to. */
export interface SizedPrompt {
  window: KnownWindow | undefined;
  promptTokens: number;
}

/** The longest answer that a request asks for: the client's `max_tokens`, or less if the server would refuse it. */
export class AnswerLimit {
  readonly #options: AnswerLimitOptions;
  /** A shorter answer after a refusal without sizes. */
  #shortened: number | undefined;
  /** The room beside the prompt, at a server that refuses a longer answer. */
  #room: number | undefined;
  #hasLowered = false;
  /** Tokens that the previous requests of this answer have written. */
  #writtenTokens = 0;

  constructor(options: AnswerLimitOptions) {
    this.#options = options;
  }

  /** Counts a part of the answer, which is continued in another request. */
  noteWritten(tokens: number): void {
    this.#writtenTokens += tokens;
  }

  /** Whether an answer of this length is as long as the client allows. */
  isReachedBy(tokens: number): boolean {
    const { wantedTokens } = this.#options;
    return wantedTokens !== undefined && this.#writtenTokens + tokens >= wantedTokens;
  }

  /** Undefined if the client's own value is sent unchanged. */
  get maxTokens(): number | undefined {
    const { wantedTokens } = this.#options;
    const wanted = this.#shortened ?? wantedTokens;
    if (wanted === undefined) return undefined;
    const left = Math.max(1, Math.min(wanted - this.#writtenTokens, this.#room ?? wanted));
    return left === wantedTokens ? undefined : left;
  }

  /** Fits the answer into the window, at a server that is known to refuse a longer one. */
  fit({ window, promptTokens }: SizedPrompt): void {
    const { upstream, wantedTokens } = this.#options;
    this.#room = undefined;
    if (wantedTokens === undefined || window === undefined) return;
    if (!upstream.countsAnswer && !window.source.startsWith('vLLM')) return;
    const room = roomBeside(window.windowTokens, promptTokens);
    if (room !== undefined && room < wantedTokens) this.#lowerTo(room);
  }

  /** Lowers the answer after a refusal of a prompt that fits without it. Returns false if that cannot help. */
  lower({ window, promptTokens }: SizedPrompt): boolean {
    const wanted = this.#room ?? this.#options.wantedTokens;
    if (this.#hasLowered || window === undefined || wanted === undefined) return false;
    const room = roomBeside(window.windowTokens, promptTokens);
    if (room === undefined || wanted <= room) return false;
    this.#hasLowered = true;
    this.#lowerTo(room);
    return true;
  }

  /** Shortens the answer after a refusal without sizes. Returns false if that cannot help. */
  shorten({ window, promptTokens: requestTokens }: SizedPrompt): boolean {
    const { wantedTokens: answerTokens, warn } = this.#options;
    if (this.#shortened !== undefined || answerTokens === undefined || window === undefined) return false;
    const shortened = shorterAnswer({ requestTokens, usableTokens: window.windowTokens, answerTokens });
    if (shortened === undefined) return false;
    this.#shortened = shortened;
    warn(
      `The upstream refused a small request as too long. Repeating it with an answer of at most ${shortened} tokens.`,
    );
    return true;
  }

  /** Warns once for each server. */
  #lowerTo(room: number): void {
    const { upstream, wantedTokens, warn } = this.#options;
    this.#room = room;
    if (!upstream.countsAnswer)
      warn(
        `Lowered the longest answer (max_tokens) of a request from ${wantedTokens} to ${room} tokens: this server refuses one that does not fit into the window beside the prompt. Later requests are changed in the same way.`,
      );
    upstream.countsAnswer = true;
  }
}

/** Share of the window by which an estimate may be too low. */
const ESTIMATE_MARGIN = 0.02;

/** Returns the room beside a prompt; undefined if it is too small for an answer. */
function roomBeside(windowTokens: number, promptTokens: number): number | undefined {
  const room = Math.floor(windowTokens * (1 - ESTIMATE_MARGIN)) - promptTokens;
  return room < minAnswerRoom(windowTokens) ? undefined : room;
}

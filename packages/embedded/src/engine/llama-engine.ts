import type { Llama, LlamaContext, LlamaModel, LlamaSequence, Token } from '../library/llama-types.ts';
import type { Libraries } from '../library/load-library.ts';
import { CallGuide } from './call-grammar.ts';
import { ChatTemplate } from './chat-template.ts';
import {
  type AnswerEvent,
  type AnswerRequest,
  type Engine,
  type EngineFacts,
  type Prompt,
  PromptTooLong,
} from './engine.ts';
import { ReadPace } from './read-pace.ts';
import { type Sampling, samplingOf } from './sampling.ts';
import { Slots } from './slots.ts';
import type { StateStore } from './state-store.ts';
import { StopTexts } from './stop-texts.ts';
import { TextWriter } from './text-writer.ts';

export interface LlamaEngineParts {
  libraries: Libraries;
  llama: Llama;
  model: LlamaModel;
  context: LlamaContext;
  states: StateStore;
  facts: EngineFacts;
}

/** An engine on llama.cpp. */
export class LlamaEngine implements Engine {
  readonly facts: EngineFacts;
  readonly #parts: LlamaEngineParts;
  readonly #template: ChatTemplate;
  readonly #slots: Slots;
  readonly #pace = new ReadPace();
  readonly #sampling: Sampling;

  constructor(parts: LlamaEngineParts) {
    const { libraries, model, context, states, facts } = parts;
    this.facts = facts;
    this.#parts = parts;
    this.#template = new ChatTemplate(model, libraries.jinja);
    const sequences = Array.from({ length: facts.slots }, () => context.getSequence());
    this.#slots = new Slots(sequences, states);
    this.#sampling = samplingOf(model);
  }

  async *answer(request: AnswerRequest): AsyncGenerator<AnswerEvent, void> {
    const { signal } = request;
    const tokens = this.#template.tokens(request);
    const { windowTokens } = this.facts;
    if (tokens.length >= windowTokens) throw new PromptTooLong(tokens.length, windowTokens);
    if (signal.aborted) return;
    const slot = await this.#slots.take(tokens, signal);
    try {
      const started = performance.now();
      const cachedTokens = slot.sequence.nextTokenIndex;
      yield* this.#read(slot.sequence, tokens, signal);
      if (signal.aborted) return;
      const readMs = performance.now() - started;
      const room = windowTokens - tokens.length;
      const maxTokens = Math.min(request.maxTokens ?? room, room);
      const written = yield* this.#write(slot.sequence, tokens.slice(-1), { ...request, maxTokens });
      if (written === undefined) return;
      const writeMs = performance.now() - started - readMs;
      yield { type: 'end', ...written, promptTokens: tokens.length, cachedTokens, readMs, writeMs };
    } finally {
      this.#slots.release(slot);
    }
  }

  countTokens(prompt: Prompt): number {
    return this.#template.tokens(prompt).length;
  }

  tokenize(text: string): number[] {
    return this.#parts.model.tokenize(text, false);
  }

  save(): Promise<void> {
    return this.#slots.save();
  }

  /** Reads all tokens but the last, in pieces, so that a cancel does not wait for the whole prompt. */
  async *#read(
    sequence: LlamaSequence,
    tokens: readonly Token[],
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent, void> {
    const end = tokens.length - 1;
    for (let from = sequence.nextTokenIndex; from < end && !signal.aborted; from = sequence.nextTokenIndex) {
      const piece = tokens.slice(from, Math.min(end, from + this.#pace.tokens));
      const started = performance.now();
      await sequence.evaluateWithoutGeneratingNewTokens(piece);
      this.#pace.note(piece.length, performance.now() - started);
      yield { type: 'reading', readTokens: from + piece.length, promptTokens: tokens.length };
    }
  }

  /** Undefined: the answer was cancelled. */
  async *#write(
    sequence: LlamaSequence,
    last: readonly Token[],
    request: AnswerRequest & { maxTokens: number },
  ): AsyncGenerator<AnswerEvent, { reason: 'stop' | 'length'; outputTokens: number } | undefined> {
    const { signal, maxTokens } = request;
    const writer = new TextWriter(this.#parts.model);
    const stops = new StopTexts(request.stop);
    const guide = this.#guideOf(request);
    const tokens = sequence.evaluate(last, {
      ...this.#sampling.of(request),
      grammarEvaluationState: () => guide?.state,
    });
    let outputTokens = 0;
    let isCut = maxTokens <= 0;
    if (!isCut) {
      for await (const token of tokens) {
        if (signal.aborted) return undefined;
        outputTokens += 1;
        const text = writer.push(token);
        guide?.push(text);
        const shown = stops.push(text);
        if (shown !== '') yield { type: 'text', text: shown };
        isCut = outputTokens >= maxTokens;
        if (isCut || stops.hasStopped) break;
      }
    }
    if (signal.aborted) return undefined;
    const rest = stops.hasStopped ? '' : stops.push(writer.end()) + stops.end();
    if (rest !== '') yield { type: 'text', text: rest };
    return { reason: isCut && !stops.hasStopped ? 'length' : 'stop', outputTokens };
  }

  #guideOf({ tools }: Prompt): CallGuide | undefined {
    if (tools.length === 0 || this.#template.callFormat !== 'json') return undefined;
    return new CallGuide(
      this.#parts.libraries.llama,
      this.#parts,
      tools.map(({ name }) => name),
    );
  }
}

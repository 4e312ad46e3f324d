import type { ViewMessage, ViewText } from '@longhaul/context/engine';
import type { StepEvent } from '@longhaul/core';
import { familyOf } from './reasoning-return.ts';

/**
 * Decides whether the summaries that a provider made are sent as they are, or as text. The first refusal of a request
 * with one turns them into text for the rest of the run, because a session must never depend on an item that cannot be
 * read.
 */
export class OpaqueSummaries {
  readonly #model: string;
  #isAble: boolean;

  /** @param model `provider/model`. */
  constructor(model: string, isAble: boolean) {
    this.#model = model;
    this.#isAble = isAble;
  }

  /** Removes the summaries that this model cannot read: those of other providers and model families. */
  readable(messages: readonly ViewMessage[]): readonly ViewMessage[] {
    if (!messages.some(hasOpaque)) return messages;
    return messages.map((message) => this.#readable(message));
  }

  #readable(message: ViewMessage): ViewMessage {
    if (!hasOpaque(message)) return message;
    return message.role === 'user'
      ? {
          ...message,
          content: message.content.map((part) => (part.type === 'text' ? this.#text(part) : part)),
        }
      : {
          ...message,
          content: message.content.map((part) => (part.type === 'text' ? this.#text(part) : part)),
        };
  }

  #text<Text extends ViewText>(part: Text): Text | Omit<Text, 'opaque'> {
    if (part.opaque === undefined) return part;
    const { opaque, ...text } = part;
    return this.#isAble && opaque.items !== undefined && isOfFamily(opaque.model, this.#model) ? part : text;
  }

  /** Makes a model call, and makes it again with text if the provider refuses it with an opaque summary. */
  async *attempt(
    messages: readonly ViewMessage[],
    call: () => AsyncIterable<StepEvent>,
  ): AsyncGenerator<StepEvent, void> {
    const hasAny = this.#isAble && this.readable(messages).some(hasOpaque);
    let isFirst = true;
    for await (const event of call()) {
      if (hasAny && isFirst && event.type === 'error' && REFUSALS.has(event.error.code)) {
        this.#isAble = false;
        return yield* call();
      }
      isFirst = false;
      yield event;
    }
  }
}

/** An unknown item can be refused as something that does not exist. */
const REFUSALS: ReadonlySet<string> = new Set([
  'provider_bad_request',
  'model_not_found',
  'input_unsupported',
]);

function hasOpaque(message: ViewMessage): boolean {
  return message.content.some((part) => part.type === 'text' && part.opaque);
}

function isOfFamily(maker: string, model: string): boolean {
  const providerOf = (name: string) => name.slice(0, name.indexOf('/'));
  return providerOf(maker) === providerOf(model) && familyOf(maker) === familyOf(model);
}

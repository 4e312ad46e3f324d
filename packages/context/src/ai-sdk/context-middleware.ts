import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Middleware,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { createContextSession } from '../session/context-session.ts';
import type {
  CompactedMessages,
  ContextSessionOptions,
  NamedSizes,
  SessionSummarise,
} from '../session/session-types.ts';
import { type Conversation, Conversations } from './conversations.ts';
import { PROMPT_FORMAT } from './prompt-format.ts';

/** Options of a context session, and those of the middleware. */
export interface ContextMiddlewareOptions
  extends Omit<ContextSessionOptions<LanguageModelV4Message>, 'format' | 'state' | 'messages' | 'summarise'> {
  /**
   * Returns the sizes that a server named if it refused a request as too long, and undefined for any other failure. The
   * request is then compacted and sent again. Pass `tooLongRefusal` of `@longhaul/models`. Default: refusals are thrown.
   */
  refusalOf?: (error: unknown) => NamedSizes | undefined;
  /** Whether the model writes a narrative for each summary. Default false: a summary is the ledger alone. */
  summarise?: boolean;
  /** Called when older messages of a prompt were replaced by a summary. */
  onCompacted?: (compacted: CompactedMessages) => void;
  /** The conversations that the middleware keeps, the newest ones. Default 32. */
  maxConversations?: number;
}

/** The call that a conversation serves. */
interface Call {
  model: LanguageModelV4;
  params: LanguageModelV4CallOptions;
}

const DEFAULT_CONVERSATIONS = 32;
/** A server that names no sizes can refuse a request several times, with fewer tokens each time. */
const MAX_REFUSALS = 5;

/**
 * Creates a middleware for `wrapLanguageModel` of the AI SDK that keeps every prompt within the model's window. It works
 * with `generateText`, `streamText` and agents, which always pass the whole conversation.
 *
 * @example
 * const model = wrapLanguageModel({ model: openai('gpt-4o'), middleware: contextMiddleware({ windowTokens: 128_000,
 * maxOutputTokens: 4_096 }) });
 */
export function contextMiddleware(options: ContextMiddlewareOptions): LanguageModelV4Middleware {
  const fitter = new PromptFitter(options);
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ model, params }) =>
      fitter.call({ model, params }, async (fitted, learn) => {
        const result = await model.doGenerate(fitted);
        learn(result.usage);
        return result;
      }),
    wrapStream: ({ model, params }) =>
      fitter.call({ model, params }, async (fitted, learn) => {
        const result = await model.doStream(fitted);
        return { ...result, stream: result.stream.pipeThrough(watched(learn)) };
      }),
  };
}

type Learn = (usage: LanguageModelV4Usage) => void;
type Send<T> = (params: LanguageModelV4CallOptions, learn: Learn) => Promise<T>;

class PromptFitter {
  readonly #options: ContextMiddlewareOptions;
  readonly #conversations: Conversations<Call>;

  constructor(options: ContextMiddlewareOptions) {
    this.#options = options;
    const { refusalOf, onCompacted, maxConversations = DEFAULT_CONVERSATIONS, ...session } = options;
    this.#conversations = new Conversations<Call>({
      maxConversations,
      open: (call, from) =>
        createContextSession({
          ...session,
          format: PROMPT_FORMAT,
          summarise: session.summarise === true ? summariserOf(call) : undefined,
          state: from?.marksOnly(),
          messages: from?.messages,
        }),
    });
  }

  async call<T>(call: Call, send: Send<T>): Promise<T> {
    const conversation = this.#conversations.take(call.params.prompt, call);
    try {
      for (let refusals = 0; ; refusals += 1) {
        const fitted = await this.#fitted(conversation, call.params);
        try {
          return await send(fitted, (usage) => conversation.session.learn(usage.inputTokens.total));
        } catch (error) {
          const refusal = this.#options.refusalOf?.(error);
          if (refusal === undefined || refusals === MAX_REFUSALS) throw error;
          conversation.session.learnRefusal(refusal);
        }
      }
    } finally {
      this.#conversations.release(conversation);
    }
  }

  async #fitted(
    { session }: Conversation<Call>,
    params: LanguageModelV4CallOptions,
  ): Promise<LanguageModelV4CallOptions> {
    const fitted = await session.fit({ tools: params.tools, signal: params.abortSignal });
    if (fitted.compacted !== undefined) this.#options.onCompacted?.(fitted.compacted);
    const wanted = params.maxOutputTokens ?? this.#options.maxOutputTokens;
    return {
      ...params,
      prompt: fitted.messages,
      maxOutputTokens: Math.min(wanted, fitted.maxOutputTokens),
    };
  }
}

/** Asks the model of the call that needs the room, with the same tools, so that the provider finds what it cached. */
function summariserOf(current: () => Call | undefined): SessionSummarise<LanguageModelV4Message> {
  return async ({ messages, maxOutputTokens, signal }) => {
    const call = current();
    if (call === undefined) return { status: 'failed', reason: 'no call of the model is running' };
    const { content } = await call.model.doGenerate({
      prompt: messages,
      tools: call.params.tools,
      toolChoice: { type: 'none' },
      providerOptions: call.params.providerOptions,
      maxOutputTokens,
      abortSignal: signal,
    });
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  };
}

/** Passes a stream on, and reads the usage at its end. */
function watched(learn: Learn): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'finish') learn(part.usage);
      controller.enqueue(part);
    },
  });
}

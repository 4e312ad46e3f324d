import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelDriver, ModelInfo, ServerWindow, StepEvent, StepRequest } from '@longhaul/core';
import { type CallSettings, type LearnedSettings, type RequestExtras, serverFetch } from '@longhaul/models';
import type { LonghaulError } from '@longhaul/protocol';
import { readAnswer } from './answer/read-answer.ts';
import { createAsides } from './aside.ts';
import { callIdsIn, toCallOptions } from './call-options.ts';
import { configuredFetch } from './configured-fetch.ts';
import { freeformTools, readFreeformCalls } from './freeform-tools.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { IgnoredEvents } from './ignored-events.ts';
import { loadModel } from './load-model.ts';
import { MediaFitter } from './media/fit-media.ts';
import { mediaLimits } from './media/media-limits.ts';
import { OpaqueSummaries } from './opaque-summaries.ts';
import { compactBy, PROVIDER_COMPACTIONS } from './provider-compaction.ts';
import { reasoningFields } from './reasoning-fields/reasoning-fields.ts';
import { withRefusedPart } from './refused-part.ts';
import { createRequestGuard, type RequestGuard } from './request-guard.ts';
import { SentBodies } from './sent-bodies.ts';
import { ServerLessons } from './server-lessons.ts';
import { createStepEvents } from './step-events.ts';
import { type CallTarget, toStepError } from './step-failure.ts';
import type { StepModel } from './step-model.ts';
import { streamStep } from './step-stream.ts';
import { createTokenCounter, TOKEN_COUNTS } from './token-counts.ts';
import { configuredProfile, type ProviderKind, type WireProfile, wireProfile } from './wire-profile.ts';

export interface ModelDriverOptions {
  kind: ProviderKind;
  /** The provider's name in the configuration. Together with `model`, it names the author of a message. */
  provider: string;
  model: string;
  /** Default: the provider's address. For `lmstudio` and `ollama`, the usual local port. */
  baseUrl?: string;
  apiKey?: string;
  /** Alternates user and assistant messages, and puts the system text into the first user message. Default false. */
  strictRoles?: boolean;
  /** Headers and fields of every request. */
  extras?: RequestExtras;
  /** Default: chosen from the model and its server. */
  settings?: CallSettings;
  /** What earlier refusals of this server taught. A setting takes precedence. */
  learnedSettings?: LearnedSettings | undefined;
  /** Stores what this driver learns from refusals, together with `learnedSettings`. */
  onLearned?: (settings: LearnedSettings) => Promise<void>;
  info: ModelInfo;
  /** Reports the server's window, and stores what the driver learns about it. */
  serverWindow?: ServerWindow;
  /**
   * Milliseconds of silence after which the request ends with `provider_timeout`. Any byte counts, including comments
   * that keep the connection open. 0: never. Node's `fetch` itself gives up after 300,000. Default 120,000.
   */
  stallMs?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

const DEFAULT_STALL_MS = 120_000;

interface DriverParts {
  options: ModelDriverOptions;
  model: StepModel;
  lessons: ServerLessons;
  opaque: OpaqueSummaries;
  stallMs: number;
  target: CallTarget;
  guards: WeakMap<AbortSignal, RequestGuard>;
  media: MediaFitter;
  bodies: SentBodies;
  ignored: IgnoredEvents;
}

/**
 * Creates a driver that calls models through the AI SDK or the provider's own SDK. Loads only the client in use.
 *
 * @throws {LonghaulError} `key_missing` if a required API key is missing; `config_invalid` if a required base
 * URL is missing.
 * @example
 * const driver = await createModelDriver({ kind: 'ollama', provider: 'ollama', model: 'qwen3:8b', info });
 */
export async function createModelDriver(options: ModelDriverOptions): Promise<ModelDriver> {
  const guards = new WeakMap<AbortSignal, RequestGuard>();
  const { provider, model: modelId, apiKey, extras = {}, settings = {} } = options;
  const secrets = [apiKey ?? '', ...Object.values(extras.headers ?? {})].filter((secret) => secret !== '');
  const target = { provider, model: modelId, secrets };
  const asides = createAsides(serverFetch(options.fetch, target), target);
  const reasoning = reasoningFields(
    { ...options, baseUrl: options.baseUrl ?? '', maxOutputTokens: options.info.maxOutputTokens },
    settings.reasoning,
  );
  const fetch = createGuardedFetch({
    fetch: configuredFetch(asides.fetch, extras, reasoning?.fieldsOf),
    target,
    onBytes: (signal) => guards.get(signal)?.touch(),
  });
  const bodies = new SentBodies();
  const ignored = new IgnoredEvents(target);
  const model = await loadModel({
    ...options,
    fetch: bodies.keep(fetch),
    target,
    driver: settings.driver,
    onIgnored: ignored.add,
  });
  const known = wireProfile(options.kind, modelId, options.baseUrl);
  const lessons = new ServerLessons({
    configured: settings,
    learned: options.learnedSettings,
    onLearned: options.onLearned,
    profileFor: (each) => configuredProfile(known, { ...each, strictRoles: options.strictRoles }),
  });
  const isNative = settings.driver === 'native';
  const opaque = new OpaqueSummaries(`${provider}/${modelId}`, isNative);
  const parts = {
    options,
    model,
    lessons,
    opaque,
    stallMs: options.stallMs ?? DEFAULT_STALL_MS,
    target,
    guards,
    media: new MediaFitter(mediaLimits(options.kind)),
    bodies,
    ignored,
  };
  const { serverWindow } = options;
  const count = TOKEN_COUNTS[options.kind];
  const ways = isNative ? PROVIDER_COMPACTIONS[options.kind] : undefined;
  let { info } = options;
  return {
    // Google has no native client.
    router: isNative && options.kind !== 'google' ? 'native' : 'ai-sdk',
    get info() {
      const maxOutputTokens = Math.min(info.maxOutputTokens, lessons.profile.maxOutputTokens);
      return {
        ...info,
        maxOutputTokens,
        ...(returnsReasoning(lessons.profile) && { returnsReasoning: true }),
        ...(reasoning !== undefined && { reasoningTokens: Math.min(reasoning.tokens, maxOutputTokens) }),
      };
    },
    step: (request) =>
      readAnswer(steadyStep(parts, request), { ...request, callsInText: settings.toolCallsInText ?? true }),
    compact:
      ways &&
      (async (request) => {
        const { messages } = await parts.media.fit(request.messages);
        const options = toCallOptions(parts, { ...request, messages }, request.signal);
        return await compactBy(ways(request), (way) => asides.ask(model, options, way));
      }),
    countTokens:
      count &&
      createTokenCounter({
        prepare: async (request) => ({
          ...request,
          messages: (await parts.media.fit(request.messages)).messages,
        }),
        ask: (prepared, signal) => asides.ask(model, toCallOptions(parts, prepared, signal), count),
      }),
    serverWindow: {
      reported: async () => serverWindow?.reported(),
      async learned(windowTokens) {
        info = withWindow(info, windowTokens);
        await serverWindow?.learned(windowTokens);
      },
    },
  };
}

function withWindow(info: ModelInfo, windowTokens: number): ModelInfo {
  return { ...info, windowTokens, maxOutputTokens: Math.min(info.maxOutputTokens, windowTokens) };
}

/** Whether reasoning takes room in later requests without metadata that says so. */
function returnsReasoning({ reasoning, signedReasoning }: WireProfile): boolean {
  return !signedReasoning && reasoning !== 'none';
}

/** Makes the call, in the form that the server's refusals ask for. */
async function* steadyStep(parts: DriverParts, asked: StepRequest): AsyncGenerator<StepEvent, void> {
  try {
    const { messages, leftOut } = await parts.media.fit(asked.messages);
    for (const medium of leftOut) yield { type: 'input-left-out', ...medium };
    const request = { ...asked, messages };
    const { bodies, lessons, opaque } = parts;
    let sent: AbortSignal | undefined;
    const onSend = (signal: AbortSignal) => {
      sent = signal;
    };
    const describe = (error: LonghaulError) =>
      withRefusedPart(error, { body: bodies.of(sent), messages, callIds: lessons.profile.callIds });
    const { maxOutputTokens } = request;
    const call = () => lessons.attempt(() => step(parts, request, onSend), { maxOutputTokens, describe });
    yield* opaque.attempt(messages, call);
  } catch (thrown) {
    yield { type: 'error', error: toStepError(thrown, parts.target, 'request') };
  }
}

async function* step(
  parts: DriverParts,
  request: StepRequest,
  onSend: (signal: AbortSignal) => void,
): AsyncGenerator<StepEvent, void> {
  const { stallMs, target } = parts;
  const guard = createRequestGuard({ signal: request.signal, stallMs });
  onSend(guard.signal);
  parts.guards.set(guard.signal, guard);
  let callOptions: LanguageModelV4CallOptions;
  try {
    callOptions = toCallOptions(parts, request, guard.signal);
  } catch (thrown) {
    guard[Symbol.dispose]();
    yield { type: 'error', error: toStepError(thrown, target, 'request') };
    return;
  }
  const events = createStepEvents({
    target,
    knownCallIds: callIdsIn(request),
    resumesPaused: parts.options.kind === 'anthropic',
    holdsCalls: !parts.lessons.profile.mediaInToolResults,
  });
  const stream = streamStep({ model: parts.model, target, options: callOptions, guard, events, stallMs });
  yield* readFreeformCalls(
    parts.ignored.report(stream, guard.signal),
    freeformTools(request.tools, parts.options),
  );
}

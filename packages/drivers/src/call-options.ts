import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelInfo, StepRequest } from '@longhaul/core';
import { isCompatible } from './access.ts';
import { callOptions } from './ai-sdk/language-model.ts';
import { freeformTools, toWireTool, withFreeformCalls } from './freeform-tools.ts';
import type { OpaqueSummaries } from './opaque-summaries.ts';
import { toPrompt } from './prompt.ts';
import type { ProviderKind, WireProfile } from './wire-profile.ts';

/** What the form of a request depends on. */
interface CallForm {
  options: { kind: ProviderKind; provider: string; model: string; baseUrl?: string; info: ModelInfo };
  opaque: OpaqueSummaries;
  lessons: { readonly profile: WireProfile };
}

/** Converts a request to the options of a model call. */
export function toCallOptions(
  { options, opaque, lessons: { profile } }: CallForm,
  request: StepRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const maxOutputTokens =
    request.maxOutputTokens && Math.min(request.maxOutputTokens, profile.maxOutputTokens);
  const isNewField = profile.maxTokensField === 'max_completion_tokens' && isCompatible(options.kind);
  const key = profile.cacheKey ? request.cacheKey : undefined;
  const fields = {
    ...(profile.splitsReasoning && { reasoning_split: true }),
    ...(isNewField && maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...(key !== undefined && isCompatible(options.kind) && { prompt_cache_key: key }),
  };
  const own = Object.keys(fields).length > 0 ? { [options.provider]: fields } : {};
  const providerOptions = { ...callOptions(options.kind, key), ...own };
  const freeform = freeformTools(request.tools, options);
  return {
    prompt: withFreeformCalls(
      toPrompt(
        { ...request, messages: opaque.readable(request.messages) },
        { ...options.info, provider: options.provider, model: options.model },
        profile,
      ),
      freeform,
    ),
    abortSignal,
    maxOutputTokens: isNewField ? undefined : maxOutputTokens,
    providerOptions,
    tools: request.tools.length === 0 ? undefined : request.tools.map((tool) => toWireTool(tool, freeform)),
  };
}

/** Yields the ids of all calls in the history. */
export function* callIdsIn(request: StepRequest): Iterable<string> {
  for (const message of request.messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool') yield part.callId;
  }
}

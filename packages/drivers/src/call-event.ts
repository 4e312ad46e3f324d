import type { LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { StepEvent } from '@longhaul/core';
import { isObject, type JsonValue, type ProviderMetadata } from '@longhaul/protocol';

/** Parses the arguments of a call. Arguments that are not a JSON object are kept as text. */
export function toCallEvent(part: LanguageModelV4ToolCall, callId: string): StepEvent {
  const name = part.toolName;
  const inputText = part.input;
  // Some servers send no text for a call without arguments.
  if (inputText.trim() === '')
    return { type: 'tool-call', callId, name, input: {}, providerMetadata: metadataOf(part) };
  try {
    const input: JsonValue = JSON.parse(inputText);
    if (isObject(input))
      return { type: 'tool-call', callId, name, input, providerMetadata: metadataOf(part) };
    const came = input === null ? 'null' : Array.isArray(input) ? 'an array' : `a ${typeof input}`;
    return {
      type: 'tool-call-invalid',
      callId,
      name,
      inputText,
      reason: `Expected a JSON object, got ${came}.`,
    };
  } catch (thrown) {
    const reason = `Expected a JSON object: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
    return { type: 'tool-call-invalid', callId, name, inputText, reason };
  }
}

function metadataOf({ providerMetadata }: LanguageModelV4ToolCall): ProviderMetadata | undefined {
  return providerMetadata === undefined ? undefined : toMetadata(providerMetadata);
}

/** Converts the SDK's metadata to plain JSON, because it is stored as JSON and may contain `undefined`. */
export function toMetadata(metadata: SharedV4ProviderMetadata): ProviderMetadata {
  return JSON.parse(JSON.stringify(metadata));
}

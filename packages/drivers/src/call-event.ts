import type { LanguageModelV4ToolCall, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { StepEvent } from '@longhaul/core';
import type { JsonObject, JsonValue, ProviderMetadata } from '@longhaul/protocol';

/** A call with its arguments read; what is no JSON object stays as it came. */
export function toCallEvent(part: LanguageModelV4ToolCall, callId: string): StepEvent {
  const name = part.toolName;
  const inputText = part.input;
  // A call without arguments comes as no text at all from some servers.
  if (inputText.trim() === '') return { type: 'tool-call', callId, name, input: {}, ...metadataOf(part) };
  try {
    const input: JsonValue = JSON.parse(inputText);
    if (isObject(input)) return { type: 'tool-call', callId, name, input, ...metadataOf(part) };
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

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function metadataOf(part: { providerMetadata?: SharedV4ProviderMetadata }): {
  providerMetadata?: ProviderMetadata;
} {
  return part.providerMetadata === undefined ? {} : { providerMetadata: toMetadata(part.providerMetadata) };
}

/** Stored as JSON, so made JSON here: the SDK's may hold `undefined`. */
export function toMetadata(metadata: SharedV4ProviderMetadata): ProviderMetadata {
  return JSON.parse(JSON.stringify(metadata));
}

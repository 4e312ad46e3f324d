import type { MetadataExtractor } from '@ai-sdk/openai-compatible';
import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/** The name under which the SDK's compatible provider reads fields of a message. */
export const FIELDS = 'openaiCompatible';
export const DETAILS = 'reasoning_details';

/**
 * Collects `reasoning_details`, the form in which OpenRouter and MiniMax send reasoning and expect it back unchanged.
 * The SDK does not read it.
 *
 * https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
 */
export const reasoningDetails: MetadataExtractor = {
  // Only for answers that are not streamed.
  extractMetadata: async () => undefined,
  createStreamExtractor() {
    const details: JsonObject[] = [];
    return {
      processChunk(chunk) {
        for (const fragment of fragmentsIn(chunk)) addFragment(details, fragment);
      },
      buildMetadata: () => (details.length === 0 ? undefined : { [FIELDS]: { [DETAILS]: details } }),
    };
  },
};

/** Returns the text of reasoning details, for servers that send it in no other field. */
export function textOfDetails(details: JsonValue | undefined): string {
  if (!Array.isArray(details)) return '';
  return details
    .map((detail) => (isObject(detail) ? String(detail['text'] ?? detail['summary'] ?? '') : ''))
    .join('');
}

function fragmentsIn(chunk: unknown): JsonObject[] {
  const choices = fieldOf(chunk, 'choices');
  const delta = fieldOf(Array.isArray(choices) ? choices[0] : undefined, 'delta');
  const fragments = fieldOf(delta, DETAILS);
  return Array.isArray(fragments) ? fragments.filter(isObject) : [];
}

/** Adds a fragment to the detail that it continues, or as a new one. Encrypted details are never split. */
function addFragment(details: JsonObject[], fragment: JsonObject): void {
  const last = details.at(-1);
  const isContinued =
    last !== undefined &&
    last['type'] === fragment['type'] &&
    last['index'] === fragment['index'] &&
    fragment['type'] !== 'reasoning.encrypted';
  if (!isContinued) {
    details.push({ ...fragment });
    return;
  }
  for (const [key, value] of Object.entries(fragment)) {
    if (key === 'text' || key === 'summary') last[key] = continued(last[key], value);
    else if (value !== null) last[key] = value;
  }
}

/** MiniMax repeats the text so far in each fragment. Nothing else begins with at least eight characters of its past. */
const REPEATED_CHARS = 8;

function continued(before: JsonValue | undefined, added: JsonValue): JsonValue {
  if (typeof before !== 'string' || typeof added !== 'string') return before ?? added;
  return before.length >= REPEATED_CHARS && added.startsWith(before) ? added : before + added;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

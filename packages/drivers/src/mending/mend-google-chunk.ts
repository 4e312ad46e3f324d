import { isObject, type JsonObject, parseJson } from '@longhaul/protocol';
import type { MendEvent } from './event-mender.ts';
import type { EventPatch } from './event-patch.ts';

/** Fields of a candidate that have many forms, and that nothing reads. */
const UNREAD = ['safetyRatings', 'groundingMetadata', 'urlContextMetadata', 'citationMetadata'];
const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'totalTokenCount',
];

/** Mends a chunk of `streamGenerateContent`. */
export const mendGoogleChunk: MendEvent = (chunk, patch) => {
  if (Object.keys(chunk).length === 0) return false;
  if (!chunk['error']) patch.delete(chunk, 'error');
  patch.toText(chunk, 'responseId');
  for (const candidate of patch.toObjects(chunk, 'candidates')) {
    for (const key of UNREAD) patch.delete(candidate, key);
    patch.keepOnly(candidate, 'string', ['finishReason', 'finishMessage']);
    patch.keepOnly(candidate, 'object', ['content']);
    if (!isObject(candidate['content'])) continue;
    for (const part of patch.toObjects(candidate['content'], 'parts')) mendPart(part, patch);
  }
  patch.keepOnly(chunk, 'object', ['usageMetadata', 'promptFeedback']);
  const { usageMetadata, promptFeedback } = chunk;
  // The SDK does not read the message of a blocked prompt, which has no candidates.
  const blockMessage = isObject(promptFeedback) ? promptFeedback['blockReasonMessage'] : undefined;
  if (typeof blockMessage === 'string' && !Array.isArray(chunk['candidates']))
    patch.set(chunk, 'candidates', [{ finishMessage: blockMessage }]);
  if (isObject(usageMetadata)) patch.toNumbers(usageMetadata, COUNTS);
  return true;
};

function mendPart(part: JsonObject, patch: EventPatch): void {
  patch.keepOnly(part, 'string', ['text', 'thoughtSignature']);
  patch.keepOnly(part, 'object', ['functionCall']);
  const call = part['functionCall'];
  if (!isObject(call)) return;
  patch.toText(call, 'id');
  if (typeof call['args'] === 'string') patch.set(call, 'args', argumentsIn(call['args']));
}

function argumentsIn(text: string): JsonObject | string {
  const value = parseJson(text);
  return isObject(value) ? value : text;
}

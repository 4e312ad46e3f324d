import { isObject, type JsonObject, parseJson } from '@longhaul/protocol';
import type { StreamMender } from './event-mender.ts';
import { EventPatch } from './event-patch.ts';
import { type AnswerForm, createOneAnswer } from './one-answer.ts';

/** Fields of a candidate that have many forms, and that nothing reads. */
const UNREAD = ['safetyRatings', 'groundingMetadata', 'urlContextMetadata', 'citationMetadata'];
const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'totalTokenCount',
];

/** The fields of a chunk, of which each has at least one. */
const FIELDS = ['candidates', 'usageMetadata', 'promptFeedback', 'responseId', 'modelVersion', 'error'];

const GOOGLE_ANSWER: AnswerForm = {
  list: 'candidates',
  id: 'responseId',
  finishReason: 'finishReason',
  hasContent: ({ content }) => {
    const parts = isObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    return parts.some((part) => isObject(part) && part['text'] !== '');
  },
};

/** Creates the mender of one stream of `streamGenerateContent`. */
export function createGoogleChunkMender(): StreamMender {
  const answer = createOneAnswer(GOOGLE_ANSWER);
  return {
    mend(chunk, patch) {
      if (Object.keys(chunk).length === 0) return false;
      if (!FIELDS.some((key) => key in chunk)) return 'foreign';
      if (!chunk['error']) patch.delete(chunk, 'error');
      patch.toText(chunk, 'responseId');
      answer.keep(chunk, patch);
      mendCandidates(chunk, patch);
      patch.keepOnly(chunk, 'object', ['usageMetadata', 'promptFeedback']);
      const { usageMetadata, promptFeedback } = chunk;
      // The SDK does not read the message of a blocked prompt, which has no candidates.
      const blockMessage = isObject(promptFeedback) ? promptFeedback['blockReasonMessage'] : undefined;
      if (typeof blockMessage === 'string' && !Array.isArray(chunk['candidates']))
        patch.set(chunk, 'candidates', [{ finishMessage: blockMessage }]);
      if (isObject(usageMetadata)) patch.toNumbers(usageMetadata, COUNTS);
      return true;
    },
    missingEnd() {
      const rest = answer.rest();
      for (const chunk of rest) mendCandidates(chunk, new EventPatch());
      return rest;
    },
  };
}

function mendCandidates(chunk: JsonObject, patch: EventPatch): void {
  for (const candidate of patch.toObjects(chunk, 'candidates')) {
    for (const key of UNREAD) patch.delete(candidate, key);
    patch.keepOnly(candidate, 'string', ['finishReason', 'finishMessage']);
    patch.keepOnly(candidate, 'object', ['content']);
    if (!isObject(candidate['content'])) continue;
    for (const part of patch.toObjects(candidate['content'], 'parts')) mendPart(part, patch);
  }
}

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

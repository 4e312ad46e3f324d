import type { LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from '@ai-sdk/provider';
import {
  AFTER_RESULTS_TEXT,
  type ViewAssistantMessage,
  type ViewAssistantPart,
  type ViewMessage,
} from '@longhaul/context/engine';
import type { ModelInfo } from '@longhaul/core';
import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { DETAILS, FIELDS } from './reasoning-details.ts';
import type { WireProfile } from './wire-profile.ts';

type ReasoningPart = Extract<ViewAssistantPart, { type: 'reasoning' }>;

/** Decides what is sent back of the reasoning in one message. */
export interface ReasoningRule {
  profile: WireProfile;
  /** The model that is called wrote the message. */
  isOwn: boolean;
  /** A model of its family wrote the message. Text without a signature is understood by all of them. */
  isFamily: boolean;
  isOpenTurn: boolean;
}

export function reasoningRule(
  message: ViewAssistantMessage,
  { info, profile, isOpenTurn }: { info: ModelInfo; profile: WireProfile; isOpenTurn: boolean },
): ReasoningRule {
  const { model = '' } = message;
  const isOwn = model === `${info.provider}/${info.model}`;
  return { profile, isOwn, isFamily: isOwn || familyOf(model) === familyOf(info.model), isOpenTurn };
}

/** Returns the letters with which a model's name begins: `deepseek` of `mine/deepseek-ai/DeepSeek-V4-Flash`. */
export function familyOf(model: string): string | undefined {
  return /^[a-z]+/i.exec(model.slice(model.lastIndexOf('/') + 1))?.[0].toLowerCase();
}

/** Returns the part to send for a reasoning part, or undefined if it is left out or is a field of the message. */
export function toReasoningPart(
  part: ReasoningPart,
  rule: ReasoningRule,
): LanguageModelV4ReasoningPart | undefined {
  if (!isReturned(rule)) return undefined;
  if (rule.profile.signedReasoning) {
    if (!rule.isOwn || part.providerMetadata === undefined) return undefined;
    return { type: 'reasoning', text: part.text, providerOptions: part.providerMetadata };
  }
  return rule.isFamily && part.text !== '' ? { type: 'reasoning', text: part.text } : undefined;
}

function isReturned({ profile, isOpenTurn }: ReasoningRule): boolean {
  return profile.reasoning !== 'none' && (profile.reasoning !== 'open-turn' || isOpenTurn);
}

/**
 * Returns the fields of a message that the SDK does not write: the reasoning in OpenRouter's form exactly as it was
 * received, and the empty text of `all-or-empty`.
 */
export function reasoningFields(
  content: readonly ViewAssistantPart[],
  rule: ReasoningRule,
): SharedV4ProviderOptions | undefined {
  if (rule.profile.signedReasoning || !isReturned(rule)) return undefined;
  const parts = content.filter((part) => part.type === 'reasoning');
  const details = rule.isOwn ? parts.flatMap(detailsOf) : [];
  const hasText = rule.isFamily && parts.some(({ text }) => text !== '');
  const fields: JsonObject = {};
  if (details.length > 0) fields[DETAILS] = details;
  if (!hasText && rule.profile.reasoning === 'all-or-empty') fields['reasoning_content'] = '';
  return Object.keys(fields).length === 0 ? undefined : { [FIELDS]: fields };
}

function detailsOf({ providerMetadata }: ReasoningPart): JsonValue[] {
  const details = providerMetadata?.[FIELDS]?.[DETAILS];
  return Array.isArray(details) ? details : [];
}

/**
 * Returns the index of the message that began the open turn, or -1. A turn ends with an answer without calls. Messages
 * that arrive before that belong to it, and so do the messages of the runtime.
 */
export function openTurnStart(messages: readonly ViewMessage[]): number {
  let start = -1;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === 'user' && message.synthetic !== true) start = index;
    if (message?.role !== 'assistant') continue;
    if (start !== -1 && isFinal(message)) return start;
    start = -1;
  }
  return start;
}

function isFinal({ content }: ViewAssistantMessage): boolean {
  return content.every(
    (part) => part.type === 'reasoning' || (part.type === 'text' && part.text !== AFTER_RESULTS_TEXT),
  );
}

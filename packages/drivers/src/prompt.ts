import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import {
  AFTER_RESULTS_TEXT,
  CONTINUATION,
  joinTexts,
  toStrictRoles,
  type ViewAssistantMessage,
  type ViewMessage,
  type ViewUserMessage,
} from '@longhaul/context/engine';
import type { ModelInfo } from '@longhaul/core';
import { isBlank, type JsonValue } from '@longhaul/protocol';
import { holdsBlock } from './anthropic/server-blocks.ts';
import { markCacheBreakpoints } from './cache-marks.ts';
import { createCallIds } from './call-ids.ts';
import { type PromptPart, toPromptPart } from './media/media-parts.ts';
import { openTurnStart, reasoningFields, reasoningRule, toReasoningPart } from './reasoning-return.ts';
import { toToolResult } from './tool-results.ts';
import { toValidMessage, wellFormed } from './valid-view.ts';
import type { WireProfile } from './wire-profile.ts';

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

/** The kind of the part that stands for a summary in the provider's own form. Only native clients get one. */
const COMPACTION_KIND = 'longhaul.compaction' as const;

const AFTER_RESULTS: ViewAssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: AFTER_RESULTS_TEXT }],
};

interface PromptContext {
  info: ModelInfo;
  profile: WireProfile;
  callIds: (callId: string) => string;
}

/**
 * Converts the view to the SDK's prompt.
 *
 * A tool part becomes a call in the assistant message and a result in the tool message that follows. The result depends
 * only on the view, so the provider's cache applies to its beginning.
 */
export function toPrompt(
  request: { system: string; messages: readonly ViewMessage[] },
  info: ModelInfo,
  profile: WireProfile,
): LanguageModelV4Prompt {
  const context = { info, profile, callIds: createCallIds(profile.callIds) };
  const valid = { system: wellFormed(request.system), messages: request.messages.map(toValidMessage) };
  const { system, messages } = profile.strictRoles ? strictRequest(valid) : valid;
  const openTurn = openTurnStart(messages);
  const prompt: LanguageModelV4Prompt = [];
  if (system !== '') prompt.push({ role: 'system', content: system });
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') pushUserMessage(prompt, message, context);
    else pushAssistant(prompt, message, { ...context, isOpenTurn: index > openTurn });
  }
  if (profile.cacheBreakpoints) markCacheBreakpoints(prompt);
  return prompt;
}

function strictRequest({ system, messages }: { system: string; messages: readonly ViewMessage[] }) {
  return { system: '', messages: toStrictRoles(messages.filter(isSaid), { system }) };
}

/**
 * Whether a message has content to send. Messages without any are removed first, so that they do not separate two
 * messages that must be joined.
 */
function isSaid(message: ViewMessage): boolean {
  return message.content.some((part) =>
    part.type === 'text' ? !isBlank(part.text) : part.type !== 'reasoning',
  );
}

/** A summary that the provider made is a part of an assistant message, whatever the role of its text is. */
function pushUserMessage(
  prompt: LanguageModelV4Prompt,
  message: ViewUserMessage,
  context: PromptContext,
): void {
  const items = message.content.flatMap((part) => (part.type === 'text' ? (part.opaque?.items ?? []) : []));
  if (items.length === 0) {
    pushUser(prompt, userParts(message, context), context);
    return;
  }
  const last = prompt.at(-1);
  if (last?.role === 'assistant') last.content.push(compactionPart(items));
  else prompt.push({ role: 'assistant', content: [compactionPart(items)] });
  const verbatim = message.content.flatMap((part) =>
    part.type === 'text' ? (part.opaque?.verbatim ?? []) : [],
  );
  pushUser(prompt, [{ type: 'text', text: [...verbatim, CONTINUATION].join('\n\n') }], context);
}

function compactionPart(items: JsonValue[]) {
  return { type: 'custom' as const, kind: COMPACTION_KIND, providerOptions: { longhaul: { items } } };
}

function userParts(message: ViewUserMessage, { info, profile }: PromptContext): PromptPart[] {
  return message.content
    .map((content) => toPromptPart(content, info.accepts, profile))
    .filter((part) => part.type !== 'text' || !isBlank(part.text));
}

function pushUser(prompt: LanguageModelV4Prompt, parts: PromptPart[], context: PromptContext): void {
  if (parts.length === 0) return;
  // Only media of a tool's result reach this point: the rest of the view is strict already.
  if (context.profile.strictRoles && prompt.at(-1)?.role === 'tool')
    pushAssistant(prompt, AFTER_RESULTS, { ...context, isOpenTurn: true });
  const last = prompt.at(-1);
  if (!context.profile.joinsUserMessages) {
    prompt.push({ role: 'user', content: parts });
  } else if (last?.role === 'user') {
    last.content = joinTexts([...last.content, ...parts]);
  } else {
    prompt.push({ role: 'user', content: joinTexts(parts) });
  }
}

function pushAssistant(
  prompt: LanguageModelV4Prompt,
  message: ViewAssistantMessage,
  context: PromptContext & { isOpenTurn: boolean },
): void {
  const content: AssistantMessage['content'] = [];
  const results: LanguageModelV4ToolResultPart[] = [];
  const following: PromptPart[] = [];
  const rule = reasoningRule(message, context);
  for (const part of message.content) {
    const options =
      rule.isOwn && part.providerMetadata !== undefined ? { providerOptions: part.providerMetadata } : {};
    if (part.type === 'text' && part.opaque?.items !== undefined) {
      content.push(compactionPart(part.opaque.items));
      if (part.opaque.verbatim !== undefined) content.push({ type: 'text', text: part.opaque.verbatim });
    } else if (part.type === 'text') {
      if (!isBlank(part.text)) content.push({ type: 'text', text: part.text, ...options });
    } else if (part.type === 'reasoning') {
      const reasoning = toReasoningPart(part, rule);
      if (reasoning !== undefined) content.push(reasoning);
    } else {
      const toolCallId = context.callIds(part.callId);
      content.push({ type: 'tool-call', toolCallId, toolName: part.name, input: part.input, ...options });
      const result = toToolResult(part, context.info.accepts, context.profile);
      results.push({ type: 'tool-result', toolCallId, toolName: part.name, output: result.output });
      following.push(...result.following);
    }
  }
  // Providers refuse a message that contains only reasoning.
  if (content.every((part) => part.type === 'reasoning' && !holdsBlock(part.providerOptions))) return;
  prompt.push({ role: 'assistant', content, providerOptions: reasoningFields(message.content, rule) });
  if (results.length > 0) prompt.push({ role: 'tool', content: results });
  pushUser(prompt, following, context);
}

import { AgentContextManager } from '../agent-context-manager.ts';
import {
  type Conversation,
  hideableMessages,
  newToolResults,
  readConversation,
} from './conversation/conversation.ts';
import { isSideRequest } from './conversation/side-request.ts';
import type { TokenMeter } from './conversation/token-meter.ts';
import { dueInputTokens, leastRoom, mostTokens } from './output-room.ts';
import type { ConversationRequest } from './types.ts';

/** Of a request: what is less is not worth a summary. */
const LEAST_HIDEABLE = 0.1;

/** A request and how large it is. */
export interface SizedRequest {
  request: ConversationRequest;
  conversation: Conversation;
  meter: TokenMeter;
  manager: AgentContextManager;
  windowTokens: number;
  /** Real tokens for one counted. */
  ratio: number;
  /** By the vocabulary alone; the whole request, and of it what is not among the messages. */
  countedTokens: number;
  besideTokens: number;
  estimatedTokens: number;
  /** Real tokens at which it is too large. */
  dueTokens: number;
}

export interface SizeOptions {
  meter: TokenMeter;
  ratio: number;
  windowTokens: number;
  inputThreshold: number;
  warningThreshold: number;
  wasRefused: boolean;
}

export function sizeRequest(request: ConversationRequest, options: SizeOptions): SizedRequest {
  const { meter, ratio, windowTokens, inputThreshold, warningThreshold } = options;
  const besideTokens = meter.fixed(request.tools);
  const manager = new AgentContextManager({
    contextLimit: windowTokens,
    inputThreshold,
    warningThreshold,
    fixedTokens: Math.ceil(ratio * besideTokens),
    count: (messages) => Math.ceil(ratio * meter.messages(messages)),
  });
  const countedTokens = meter.messages(request.messages) + besideTokens;
  return {
    request,
    conversation: readConversation(request.messages),
    meter,
    manager,
    windowTokens,
    ratio,
    countedTokens,
    besideTokens,
    estimatedTokens: Math.ceil(ratio * countedTokens),
    dueTokens: dueTokens(request, options),
  };
}

/** With whom a request may share what was kept of one that began elsewhere: the same client, and the same chat where it names one. */
export function ownerOf({ client = '', chatId = '' }: ConversationRequest): string {
  return `${client}\n${chatId}`;
}

/** The threshold; or less, where the client asks for an answer that would not fit behind it. */
function dueTokens({ maxTokens = 0 }: ConversationRequest, options: SizeOptions): number {
  const { windowTokens, inputThreshold, wasRefused } = options;
  const due = Math.max(dueInputTokens(windowTokens, inputThreshold), leastDueTokens(windowTokens));
  // Some servers refuse a prompt that leaves less than was asked for; others never look. Beyond that, clients ask for what no window holds.
  const mostAsked = windowTokens * (wasRefused ? 0.75 : 0.5);
  return maxTokens > mostAsked ? due : Math.min(due, windowTokens - maxTokens);
}

/** In a window of 1,000 tokens, the least room for an answer would be all of it, and every request too large. */
function leastDueTokens(windowTokens: number): number {
  return Math.floor(windowTokens / 4);
}

/**
 * Phases 1 and 2: whether the request must be made smaller. Where that is so because of tool results that have just come, the manager knows
 * them afterwards: they are kept, and the rest is compacted around them.
 */
export function isTooLarge(sized: SizedRequest): boolean {
  const { request, manager, estimatedTokens, dueTokens } = sized;
  if (isSideRequest(request)) return !fitsShortAnswer(sized);
  const { isOverThreshold, inputTokens } = manager.estimateInputTokens(request.messages);
  const isDue = isOverThreshold && inputTokens >= leastDueTokens(sized.windowTokens);
  if (!isDue && estimatedTokens < dueTokens) return false;
  if (fitsAndStays(sized)) return false;
  lookAtToolResults(sized);
  return true;
}

/** A question takes nearly all of it, such as a pasted document: the answer has its room, and there is next to nothing that could be left out. */
function fitsAndStays(sized: SizedRequest): boolean {
  const { request, conversation, meter, ratio, windowTokens, estimatedTokens } = sized;
  if (estimatedTokens > mostTokens({ windowTokens, maxTokens: request.maxTokens })) return false;
  return ratio * meter.messages(hideableMessages(conversation)) < estimatedTokens * LEAST_HIDEABLE;
}

function fitsShortAnswer({ request, estimatedTokens, windowTokens }: SizedRequest): boolean {
  const room = leastRoom(windowTokens);
  return estimatedTokens + Math.min(request.maxTokens ?? room, room) <= windowTokens;
}

function lookAtToolResults({ request, manager, dueTokens }: SizedRequest): void {
  const results = newToolResults(request.messages);
  if (results.length === 0) return;
  const before = manager.estimateInputTokens(request.messages.slice(0, -results.length));
  manager.updateUsage({ inputTokens: before.inputTokens });
  const isDueWithout = before.isOverThreshold || before.inputTokens >= dueTokens;
  if (!isDueWithout && !manager.checkBeforeToolResponse(results).fits) manager.markRestartNeeded(results);
}

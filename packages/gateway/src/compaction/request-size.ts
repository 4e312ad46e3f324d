import { AgentContextManager } from '../agent-context-manager.ts';
import {
  type Conversation,
  hideableMessages,
  newToolResults,
  readConversation,
} from './conversation/conversation.ts';
import { textDigest } from './conversation/message-digest.ts';
import { isSideRequest } from './conversation/side-request.ts';
import type { TokenMeter } from './conversation/token-meter.ts';
import { dueInputTokens, maxRequestTokens, minAnswerRoom } from './output-room.ts';
import type { ConversationRequest } from './types.ts';

/** Share of a request. If less than this can be hidden, a summary is not worthwhile. */
const MIN_HIDEABLE = 0.1;

/** A request and its size. */
export interface SizedRequest {
  request: ConversationRequest;
  conversation: Conversation;
  meter: TokenMeter;
  manager: AgentContextManager;
  windowTokens: number;
  /** Real tokens per counted token. */
  ratio: number;
  /** Tokens of the whole request, by the vocabulary alone. */
  countedTokens: number;
  /** Counted tokens outside the messages: tools, and the priming of the reply. */
  extraTokens: number;
  /** `countedTokens` times `ratio`. */
  estimatedTokens: number;
  /** Real tokens at which the request is too large. */
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
  const extraTokens = meter.fixed(request.tools);
  const manager = new AgentContextManager({
    contextLimit: windowTokens,
    inputThreshold,
    warningThreshold,
    fixedTokens: Math.ceil(ratio * extraTokens),
    count: (messages) => Math.ceil(ratio * meter.messages(messages)),
  });
  const countedTokens = meter.messages(request.messages) + extraTokens;
  return {
    request,
    conversation: readConversation(request.messages),
    meter,
    manager,
    windowTokens,
    ratio,
    countedTokens,
    extraTokens,
    estimatedTokens: Math.ceil(ratio * countedTokens),
    dueTokens: dueTokens(request, options),
  };
}

/**
 * Returns the owner of a request: the client and, if named, the chat. Only requests of one owner share a compaction: a
 * model that wrote its summary has also read the messages after the hidden ones.
 */
export function ownerOf({ client = '', chatId = '' }: ConversationRequest): string {
  return `${client}\n${chatId}`;
}

/** Returns the keys under which compactions of a conversation's beginnings are stored, which differ for each owner. */
export function placesOf({
  request,
  conversation,
}: Pick<SizedRequest, 'request' | 'conversation'>): string[] {
  const owner = textDigest(ownerOf(request)).slice(0, OWNER_CHARS);
  return conversation.chain.map((hash) => `${owner}:${hash}`);
}

const OWNER_CHARS = 16;

/** Returns the threshold, or less if the client's `maxTokens` would not fit after it. */
function dueTokens({ maxTokens = 0 }: ConversationRequest, options: SizeOptions): number {
  const { windowTokens, inputThreshold, wasRefused } = options;
  const due = Math.max(dueInputTokens(windowTokens, inputThreshold), minDueTokens(windowTokens));
  // Some servers refuse a prompt that leaves less room than `maxTokens`, others ignore it. A larger value is
  // unrealistic and ignored here.
  const maxPlausible = windowTokens * (wasRefused ? 0.75 : 0.5);
  return maxTokens > maxPlausible ? due : Math.min(due, windowTokens - maxTokens);
}

/** Without it, the minimum answer room of 1,000 tokens would make every request to a very small window too large. */
function minDueTokens(windowTokens: number): number {
  return Math.floor(windowTokens / 4);
}

/**
 * Phases 1 and 2: whether the request must be made smaller. If new tool results are the reason, also marks them in the
 * manager: they stay, and the rest is compacted around them.
 */
export function isTooLarge(sized: SizedRequest): boolean {
  const { request, manager, estimatedTokens, dueTokens } = sized;
  if (isSideRequest(request)) return !fitsShortAnswer(sized);
  const { isOverThreshold, inputTokens } = manager.estimateInputTokens(request.messages);
  const isDue = isOverThreshold && inputTokens >= minDueTokens(sized.windowTokens);
  if (!isDue && estimatedTokens < dueTokens) return false;
  if (fitsAndStays(sized)) return false;
  lookAtToolResults(sized);
  return true;
}

/**
 * Whether the answer has its room and almost nothing could be hidden, for example because the question is a pasted
 * document.
 */
function fitsAndStays(sized: SizedRequest): boolean {
  const { request, conversation, meter, ratio, windowTokens, estimatedTokens } = sized;
  if (estimatedTokens > maxRequestTokens({ windowTokens, maxTokens: request.maxTokens })) return false;
  return ratio * meter.messages(hideableMessages(conversation)) < estimatedTokens * MIN_HIDEABLE;
}

function fitsShortAnswer({ request, estimatedTokens, windowTokens }: SizedRequest): boolean {
  const room = minAnswerRoom(windowTokens);
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

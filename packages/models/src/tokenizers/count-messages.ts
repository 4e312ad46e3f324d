import {
  ASSUMED_IMAGE_SIZE,
  base64Bytes,
  fileTokens,
  type ImageDetail,
  type ImageRule,
  imageRuleOf,
  imageSizeOf,
  imageTokens,
  MESSAGE_OVERHEAD_TOKENS,
  REPLY_PRIMING_TOKENS,
} from '@longhaul/context/engine';
import type { ChatContentPart, ChatMessage, ChatTool } from '@longhaul/protocol';
import type { TokenFamily } from './token-family.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Returns the tokens that a family's chat format adds to each message. */
export function messageOverheadOf(family: TokenFamily): number {
  return family === 'mistral' || family === 'tekken' ? MISTRAL_OVERHEAD_TOKENS : MESSAGE_OVERHEAD_TOKENS;
}

const MISTRAL_OVERHEAD_TOKENS = 5;
/** The tokens of the marker before a message's name. Source: OpenAI cookbook, "How to count tokens". */
const NAME_OVERHEAD_TOKENS = 1;

export interface CountMessagesOptions {
  /** The model whose rules count images and files. */
  model?: string;
  tools?: readonly ChatTool[];
}

/**
 * Counts the tokens of a chat request: texts, names, tool calls with their arguments, images and files, the overhead of
 * each message and call, and the start of the reply. Content of an unknown kind counts as its JSON. Never throws.
 */
export function countMessages(
  messages: readonly ChatMessage[],
  tokenizer: Tokenizer,
  { model = '', tools = [] }: CountMessagesOptions = {},
): number {
  const counting: Counting = {
    count: tokenizer.count,
    overhead: messageOverheadOf(tokenizer.family),
    imageRule: imageRuleOf(model),
  };
  let tokens = REPLY_PRIMING_TOKENS;
  for (const message of messages) tokens += messageTokens(message, counting);
  if (tools.length > 0) tokens += tokenizer.count(JSON.stringify(tools));
  return tokens;
}

interface Counting {
  count: (text: string) => number;
  overhead: number;
  imageRule: ImageRule;
}

function messageTokens(message: ChatMessage, counting: Counting): number {
  const { count, overhead } = counting;
  let tokens = overhead + contentTokens(message.content, counting);
  if (message.name !== undefined) tokens += count(message.name) + NAME_OVERHEAD_TOKENS;
  if (message.reasoning_content !== undefined) tokens += count(message.reasoning_content);
  for (const { function: called } of message.tool_calls ?? [])
    tokens += overhead + count(called.name) + count(called.arguments);
  return tokens;
}

function contentTokens(content: ChatMessage['content'], counting: Counting): number {
  if (content === undefined || content === null) return 0;
  if (typeof content === 'string') return counting.count(content);
  return content.reduce((sum, part) => sum + partTokens(part, counting), 0);
}

function partTokens(part: ChatContentPart, { count, imageRule }: Counting): number {
  if ('text' in part) return count(part.text);
  if ('image_url' in part) {
    const { url, detail } = part.image_url;
    return imageTokens(imageSizeOf(url) ?? ASSUMED_IMAGE_SIZE, imageRule, detailOf(detail));
  }
  if ('file' in part) {
    const data = part.file.file_data ?? '';
    const mediaType = /^data:([^;,]+)/.exec(data)?.[1] ?? 'application/pdf';
    return fileTokens({ mediaType, bytes: base64Bytes(data) }, imageRule);
  }
  return count(JSON.stringify(part));
}

function detailOf(detail: string | undefined): ImageDetail {
  return detail === 'low' || detail === 'high' ? detail : 'auto';
}

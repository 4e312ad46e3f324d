import { isFrontEndTask, LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import type { ChatCompletionBody } from '@longhaul/protocol/api';
import { contentOf } from '../chat/chat-content.ts';

export type ClientMessage = ChatCompletionBody['messages'][number];

/** A parsed request for a completion. */
export interface ChatRequest {
  /** The client's system messages, as one text. */
  instructions: string;
  /** The messages before `newest`, without system messages. Empty, or ends with a message that is not the user's. */
  history: ClientMessage[];
  /** The user's newest messages. */
  newest: ClientMessage[];
  content: UserMessageContentPart[];
  maxTokens: number | undefined;
  /** A front-end's request for a title, tags or follow-up questions, which is not part of the conversation. */
  isAside: boolean;
}

/**
 * Parses a request for a completion.
 *
 * @throws {LonghaulError} `invalid_request` for features that agents don't support (the client's tools, several
 * answers, a format other than text, media at other URLs), and if the last message is not the user's.
 */
export function readChatRequest(body: ChatCompletionBody): ChatRequest {
  refuseUnsupported(body);
  const isSystem = ({ role }: ClientMessage) => role === 'system' || role === 'developer';
  const said = body.messages.filter((message) => !isSystem(message));
  const end = said.findLastIndex(({ role }) => role !== 'user') + 1;
  const newest = said.slice(end);
  if (newest.length === 0) {
    throw new LonghaulError('invalid_request', 'messages must end with a user message.');
  }
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  return {
    instructions: body.messages.filter(isSystem).map(textOf).join('\n\n').trim(),
    history: said.slice(0, end),
    newest,
    content: newest.flatMap(toContent),
    maxTokens,
    isAside: isAside(said, maxTokens),
  };
}

/** The texts of a message, without its media. */
export function textOf({ content }: ClientMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function refuseUnsupported({ tools, functions, n, response_format: format }: ChatCompletionBody): void {
  const unsupported = (message: string) => new LonghaulError('invalid_request', message);
  if ((tools?.length ?? 0) > 0 || (functions?.length ?? 0) > 0) {
    throw unsupported('An agent only uses its own tools, on the server. Remove tools and functions.');
  }
  if ((n ?? 1) !== 1) throw unsupported('An agent gives one answer. Set n to 1.');
  if ((format?.type ?? 'text') !== 'text')
    throw unsupported('An agent answers in text. Remove response_format.');
}

const SHORT_ANSWER_TOKENS = 100;

function isAside(said: readonly ClientMessage[], maxTokens: number | undefined): boolean {
  if (said.length > 2) return false;
  const isShort = said.length === 1 && maxTokens !== undefined && maxTokens <= SHORT_ANSWER_TOKENS;
  return isShort || said.some((message) => isFrontEndTask(textOf(message)));
}

/** Converts a message by way of a UI message, so the same rules for content apply. */
function toContent({ content }: ClientMessage): UserMessageContentPart[] {
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []).map(toUiPart);
  return contentOf({ id: '', role: 'user', parts });
}

function toUiPart(part: Record<string, unknown> & { type: string }): {
  type: string;
  [key: string]: unknown;
} {
  if (part.type === 'text') return { type: 'text', text: part['text'] };
  if (part.type === 'image_url') return { type: 'file', url: fieldOf(part['image_url'], 'url') };
  if (part.type === 'file') {
    const filename = fieldOf(part['file'], 'filename');
    const url = fieldOf(part['file'], 'file_data');
    return { type: 'file', url, ...(typeof filename === 'string' ? { filename } : {}) };
  }
  throw new LonghaulError(
    'invalid_request',
    `The type of a message part must be text, image_url or file, not "${part.type.slice(0, 50)}".`,
  );
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

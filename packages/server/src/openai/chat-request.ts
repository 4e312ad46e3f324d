import { isFrontEndTask, LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import type { ChatCompletionBody } from '@longhaul/protocol/api';
import { contentOf } from '../chat/chat-content.ts';

export type ClientMessage = ChatCompletionBody['messages'][number];

/** A request for a completion, taken apart. */
export interface ChatRequest {
  /** The client's system messages, as one text. */
  instructions: string;
  /** What was said before, system messages apart. Ends with what is not the user's, or is empty. */
  history: ClientMessage[];
  /** The user's newest messages. */
  newest: ClientMessage[];
  content: UserMessageContentPart[];
  maxTokens: number | undefined;
  /** A front-end asks for a title, tags, or what to ask next: nobody goes on from it. */
  isAside: boolean;
}

/**
 * @throws {LonghaulError} `invalid_request` for what an agent cannot do: the client's tools, several answers, another format than text, media
 * that stand elsewhere; and when the user does not have the last word.
 */
export function readChatRequest(body: ChatCompletionBody): ChatRequest {
  refuseWhatAgentsLack(body);
  const isSystem = ({ role }: ClientMessage) => role === 'system' || role === 'developer';
  const said = body.messages.filter((message) => !isSystem(message));
  const end = said.findLastIndex(({ role }) => role !== 'user') + 1;
  const newest = said.slice(end);
  if (newest.length === 0) {
    throw new LonghaulError('invalid_request', 'messages must end with a message of the user.');
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

function refuseWhatAgentsLack({ tools, functions, n, response_format: format }: ChatCompletionBody): void {
  const lacks = (why: string) => new LonghaulError('invalid_request', why);
  if ((tools?.length ?? 0) > 0 || (functions?.length ?? 0) > 0) {
    throw lacks('An agent calls tools of its own, on the server: send no tools.');
  }
  if ((n ?? 1) !== 1) throw lacks('An agent gives one answer: n must be 1.');
  if ((format?.type ?? 'text') !== 'text') throw lacks('An agent answers in text: send no response_format.');
}

const SHORT_ANSWER_TOKENS = 100;

function isAside(said: readonly ClientMessage[], maxTokens: number | undefined): boolean {
  if (said.length > 2) return false;
  const isShort = said.length === 1 && maxTokens !== undefined && maxTokens <= SHORT_ANSWER_TOKENS;
  return isShort || said.some((message) => isFrontEndTask(textOf(message)));
}

/** In the form of a UI message, which has rules for what is taken. */
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
    `A part of a message must be text, image_url or file, not "${part.type.slice(0, 50)}".`,
  );
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

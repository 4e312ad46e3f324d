import {
  type Approval,
  type FilePart,
  handleOf,
  type Message,
  type Part,
  parseBlobReference,
  type ToolPart,
} from '@longhaul/protocol';
import type { ChatUiMessage } from '@longhaul/protocol/api';
import { outputOf, textOf } from './ui-remarks.ts';

type UiPart = ChatUiMessage['parts'][number];

/**
 * A session's messages as a page of `useChat` holds them: each user message, and all steps of its answer as one message. What the runtime
 * said to the model in the user's name is left out, as it is in the stream.
 */
export function uiHistory(
  messages: readonly Message[],
  {
    sessionId,
    approvals,
    waiting,
  }: {
    sessionId: string;
    approvals: readonly Approval[];
    /** What the next answer will be to, and is not delivered yet. */
    waiting?: UserMessage | undefined;
  },
): ChatUiMessage[] {
  const asked = new Map(approvals.map((approval) => [approval.handle, approval]));
  const history: ChatUiMessage[] = [];
  for (const message of messages) {
    if (message.metadata?.synthetic !== undefined) continue;
    if (message.role === 'user') {
      history.push(userMessage(message));
      continue;
    }
    const parts = stepParts(message, asked);
    const last = history.at(-1);
    if (last?.role === 'assistant') last.parts.push(...parts);
    else if (parts.length > 0) {
      const id = last === undefined ? `answer-${message.id}` : answerId(last.id);
      history.push({ id, role: 'assistant', metadata: { sessionId }, parts });
    }
  }
  if (waiting !== undefined) history.push(userMessage(waiting));
  return history;
}

type UserMessage = Pick<Message, 'id' | 'parts' | 'metadata'>;

function userMessage(message: UserMessage): ChatUiMessage {
  return { id: userIdOf(message), role: 'user', parts: message.parts.flatMap((part) => plainPart(part)) };
}

/** Of the UI message that answers a user's. */
export const answerId = (messageId: string): string => `answer-${messageId}`;

/** The page's own id; of several that were delivered together, the last one's, whose answer it is. */
function userIdOf({ id, metadata }: UserMessage): string {
  return metadata?.originalMessages?.at(-1) ?? id;
}

function stepParts(message: Message, asked: ReadonlyMap<string, Approval>): UiPart[] {
  const parts = message.parts.flatMap((part, index) =>
    part.type === 'tool' ? toolPart(part, asked.get(handleOf(message.sequence, index))) : plainPart(part),
  );
  return parts.length === 0 ? [] : [{ type: 'step-start' }, ...parts];
}

function plainPart(part: Part): UiPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' ? [] : [{ type: part.type, text: part.text, state: 'done' }];
    case 'file':
      return [filePart(part)];
    case 'notice':
      return [{ type: 'data-notice', data: { message: part.text } }];
    default:
      return [];
  }
}

/** Bytes stay where they are: a page loads them from the server, and may send the address back. */
function filePart({ data, mediaType, filename }: FilePart): UiPart {
  const blob = parseBlobReference(data);
  const url =
    blob === undefined
      ? `data:${mediaType};base64,${data}`
      : `/blobs/${blob}?type=${encodeURIComponent(mediaType)}`;
  return { type: 'file', mediaType, url, ...(filename === undefined ? {} : { filename }) };
}

function toolPart(part: ToolPart, approval: Approval | undefined): UiPart {
  const call = { type: 'dynamic-tool', toolName: part.name, toolCallId: part.callId, input: part.input };
  const decided = approval?.answer === undefined ? undefined : decisionOf(approval);
  if (part.state === 'completed') {
    const answered = decided === undefined ? {} : { approval: decided };
    return { ...call, state: 'output-available', output: outputOf(part.output ?? []), ...answered };
  }
  if (decided?.approved === false) return { ...call, state: 'output-denied', approval: decided };
  if (part.state === 'error' || part.state === 'interrupted') {
    const said = textOf(part.output ?? []);
    return { ...call, state: 'output-error', errorText: said === '' ? (part.error ?? 'Interrupted.') : said };
  }
  // An answer that is known here is none that a page still has to send.
  if (approval === undefined || decided !== undefined) return { ...call, state: 'input-available' };
  return { ...call, state: 'approval-requested', approval: { id: approval.handle } };
}

function decisionOf({ handle, answer, reason }: Approval) {
  return { id: handle, approved: answer !== 'deny', ...(reason === undefined ? {} : { reason }) };
}

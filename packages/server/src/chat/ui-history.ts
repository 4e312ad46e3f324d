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
 * Converts the messages of a session to UI messages for `useChat`: each user message, and all steps of its answer as
 * one message. User messages that the runtime generated are left out, as in the stream.
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
    /** The undelivered message that the next answer is for. */
    waiting?: UserMessage | undefined;
  },
): ChatUiMessage[] {
  const asked = new Map(approvals.map((approval) => [approval.handle, approval]));
  const history: ChatUiMessage[] = [];
  for (const message of messages) {
    if (message.metadata?.synthetic !== undefined) continue;
    if (message.role === 'user') {
      history.push(userMessage(message, sessionId));
      continue;
    }
    const parts = stepParts(message, { asked, sessionId });
    const last = history.at(-1);
    if (last?.role === 'assistant') last.parts.push(...parts);
    else if (parts.length > 0) {
      const id = last === undefined ? `answer-${message.id}` : answerId(last.id);
      history.push({ id, role: 'assistant', metadata: { sessionId }, parts });
    }
  }
  if (waiting !== undefined) history.push(userMessage(waiting, sessionId));
  return history;
}

type UserMessage = Pick<Message, 'id' | 'parts' | 'metadata'>;

function userMessage(message: UserMessage, sessionId: string): ChatUiMessage {
  const parts = message.parts.flatMap((part) => plainPart(part, sessionId));
  return { id: userIdOf(message), role: 'user', parts };
}

/** Returns the id of the UI message that answers a user message. */
export const answerId = (messageId: string): string => `answer-${messageId}`;

/** Returns the page's id of the message. For messages that were delivered together, it is the id of the last one. */
function userIdOf({ id, metadata }: UserMessage): string {
  return metadata?.originalMessages?.at(-1) ?? id;
}

function stepParts(
  message: Message,
  { asked, sessionId }: { asked: ReadonlyMap<string, Approval>; sessionId: string },
): UiPart[] {
  const parts = message.parts.flatMap((part, index) =>
    part.type === 'tool'
      ? toolPart(part, asked.get(handleOf(message.sequence, index)))
      : plainPart(part, sessionId),
  );
  return parts.length === 0 ? [] : [{ type: 'step-start' }, ...parts];
}

function plainPart(part: Part, sessionId: string): UiPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' ? [] : [{ type: part.type, text: part.text, state: 'done' }];
    case 'file':
      return [filePart(part, sessionId)];
    case 'notice':
      return [{ type: 'data-notice', data: { message: part.text } }];
    default:
      return [];
  }
}

/** Files in the blob store become URLs of the server, which the page may also send back. */
function filePart({ data, mediaType, filename }: FilePart, sessionId: string): UiPart {
  const blob = parseBlobReference(data);
  const url =
    blob === undefined
      ? `data:${mediaType};base64,${data}`
      : `/blobs/${blob}?type=${encodeURIComponent(mediaType)}&sessionId=${encodeURIComponent(sessionId)}`;
  return { type: 'file', mediaType, url, filename };
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
    const text = textOf(part.output ?? []);
    return { ...call, state: 'output-error', errorText: text === '' ? (part.error ?? 'Interrupted.') : text };
  }
  // An answered request must not be shown as open: the page has no answer to send.
  if (approval === undefined || decided !== undefined) return { ...call, state: 'input-available' };
  return { ...call, state: 'approval-requested', approval: { id: approval.handle } };
}

function decisionOf({ handle, answer, reason }: Approval) {
  return { id: handle, approved: answer !== 'deny', reason };
}

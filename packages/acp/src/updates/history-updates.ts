import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { BlobStore } from '@longhaul/core';
import {
  type FilePart,
  type Message,
  type Part,
  parseBlobReference,
  type ToolPart,
} from '@longhaul/protocol';
import type { CallIds } from './call-ids.ts';
import { resultFacts } from './event-translator.ts';
import { textChunk } from './text-chunk.ts';
import { planOf } from './todo-plan.ts';
import { rawInputOf } from './tool-content.ts';
import { kindOf, locationsOf, titleOf } from './tool-facts.ts';

export interface HistoryOptions {
  folder: string;
  blobs: Pick<BlobStore, 'get'>;
  ids: CallIds;
}

/** Returns the updates that show a stored message. Messages that the runtime generated are not shown. */
export async function historyUpdates(message: Message, options: HistoryOptions): Promise<SessionUpdate[]> {
  if (message.metadata?.synthetic === 'sent') return sentUpdates(message);
  if (message.metadata?.synthetic !== undefined) return [];
  const updates: SessionUpdate[] = [];
  for (const part of message.parts) updates.push(...(await partUpdates(part, message, options)));
  return updates;
}

/** What another session sent is quoted: an editor knows only the user and the agent. */
function sentUpdates({ parts, id }: Message): SessionUpdate[] {
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  return textChunk('agent_message_chunk', `> ${text.replaceAll('\n', '\n> ')}\n\n`, id);
}

async function partUpdates(
  part: Part,
  { role, id }: Message,
  options: HistoryOptions,
): Promise<SessionUpdate[]> {
  switch (part.type) {
    case 'text':
      return textChunk(role === 'user' ? 'user_message_chunk' : 'agent_message_chunk', part.text, id);
    case 'reasoning':
      return textChunk('agent_thought_chunk', part.text, id);
    case 'notice':
      return textChunk('agent_message_chunk', `> ${part.text}\n\n`, id);
    case 'tool':
      return toolUpdates(part, options);
    case 'file':
      return role === 'user' ? fileUpdates(part, id, options) : [];
    default:
      return [];
  }
}

/** Shows an image. Another file is named. */
async function fileUpdates(
  { data, mediaType, filename = mediaType }: FilePart,
  messageId: string,
  { blobs }: HistoryOptions,
): Promise<SessionUpdate[]> {
  const blob = parseBlobReference(data);
  // A blob that is lost or damaged leaves its name.
  const bytes =
    blob === undefined ? Buffer.from(data, 'base64') : await blobs.get(blob).catch(() => undefined);
  if (bytes === undefined || !mediaType.startsWith('image/'))
    return textChunk('user_message_chunk', `[${filename}]`, messageId);
  const image = { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: mediaType } as const;
  return [{ sessionUpdate: 'user_message_chunk', content: image, messageId }];
}

function toolUpdates(part: ToolPart, { folder, ids }: HistoryOptions): SessionUpdate[] {
  const { callId, name, input, state, output = [], error, metadata, title } = part;
  const plan = state === 'completed' ? planOf(name, metadata) : undefined;
  if (plan !== undefined) return [plan];
  const success = state === 'completed';
  const text = output.length > 0 || error === undefined ? output : [{ type: 'text', text: error } as const];
  const call = { toolName: name, args: input, success, output: text, metadata, title };
  // A call that waits for approval is asked about again by the next run. One that runs now keeps its id.
  const isOpen = state === 'pending' || state === 'running';
  const toolCallId = (isOpen ? ids.find(callId) : undefined) ?? ids.begin(callId);
  if (!isOpen) ids.end(callId);
  return [
    {
      sessionUpdate: 'tool_call',
      toolCallId,
      name,
      kind: kindOf(name),
      status: isOpen ? 'pending' : success ? 'completed' : 'failed',
      rawInput: rawInputOf(input),
      title: titleOf(name, input),
      ...(isOpen ? { locations: locationsOf(folder, { args: input }) } : resultFacts(folder, call)),
    },
  ];
}

import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { type ChatBody, userContentSchema } from '@longhaul/protocol/api';
import { z } from 'zod';

type UiMessage = ChatBody['messages'][number];

/**
 * Returns the content of a user's UI message: its texts and files.
 *
 * @throws {LonghaulError} `invalid_request` for an empty message, and for files at other URLs: the server downloads
 * nothing for a client.
 */
export function contentOf({ parts }: UiMessage): UserMessageContentPart[] {
  const content = parts.flatMap((part) => {
    if (part.type === 'text') return [{ type: 'text', text: part['text'] }];
    return part.type === 'file' ? [fileOf(part)] : [];
  });
  const parsed = userContentSchema.safeParse(content.filter((part) => part['text'] !== ''));
  if (!parsed.success || typeof parsed.data === 'string') {
    throw new LonghaulError('invalid_request', 'The message must contain text, or files as data: URLs.');
  }
  return parsed.data;
}

const BLOB_URL = /^\/blobs\/([0-9a-f]{64})(?:\?[^#]*)?$/;

function fileOf({ url, mediaType, filename }: Record<string, unknown>): Record<string, unknown> {
  const blob = BLOB_URL.exec(typeof url === 'string' ? url : '')?.[1];
  const match = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(typeof url === 'string' ? url : '');
  if (match === null && blob === undefined) {
    throw new LonghaulError(
      'invalid_request',
      'A file must be a data: URL in base64, or a /blobs/ URL from a message of this chat. The server downloads nothing from other URLs.',
    );
  }
  const type = typeof mediaType === 'string' && mediaType !== '' ? mediaType : match?.[1];
  const data = blob === undefined ? match?.[2] : `@blob:${blob}`;
  if (type?.startsWith('image/') === true) return { type: 'image', data, mediaType: type };
  return { type: 'file', data, mediaType: type, filename };
}

export interface UiApproval {
  /**
   * Handle of the request, which is its id in the page. A provider may reuse call ids, so they do not identify a
   * request.
   */
  handle: string;
  approved: boolean;
  reason?: string;
}

const answeredPart = z.looseObject({
  state: z.literal('approval-responded'),
  approval: z.looseObject({ id: z.string(), approved: z.boolean(), reason: z.string().optional() }),
});

/** Returns the answers to approval requests in an assistant message. */
export function approvalsOf({ parts }: UiMessage): UiApproval[] {
  return parts.flatMap((part) => {
    const { data } = answeredPart.safeParse(part);
    if (data === undefined) return [];
    const { id, approved, reason } = data.approval;
    return [{ handle: id, approved, reason: reason?.slice(0, MAX_REASON_CHARS) }];
  });
}

const MAX_REASON_CHARS = 2_000;

const metadataSchema = z.looseObject({ lastEvent: z.int().min(0) });

/** Returns the number of the last event that the message shows. Its stream stored the number in the metadata. */
export function lastEventOf({ metadata }: UiMessage): number | undefined {
  return metadataSchema.safeParse(metadata).data?.lastEvent;
}

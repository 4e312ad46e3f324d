import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { type ChatBody, userContentSchema } from '@longhaul/protocol/api';
import { z } from 'zod';

type UiMessage = ChatBody['messages'][number];

/**
 * What a user's UI message says: its texts, and the files that it carries itself.
 *
 * @throws {LonghaulError} `invalid_request` for an empty one, and for files that stand elsewhere: the server fetches nothing for a client.
 */
export function contentOf({ parts }: UiMessage): UserMessageContentPart[] {
  const content = parts.flatMap((part) => {
    if (part.type === 'text') return [{ type: 'text', text: part['text'] }];
    return part.type === 'file' ? [fileOf(part)] : [];
  });
  const parsed = userContentSchema.safeParse(content.filter((part) => part['text'] !== ''));
  if (!parsed.success || typeof parsed.data === 'string') {
    throw new LonghaulError('invalid_request', 'The message must hold text, or files as data: URLs.');
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
      'A file must be a data: URL in base64, or one that a message of this chat names: this server fetches nothing from elsewhere.',
    );
  }
  const type = typeof mediaType === 'string' && mediaType !== '' ? mediaType : match?.[1];
  const data = blob === undefined ? match?.[2] : `@blob:${blob}`;
  if (type?.startsWith('image/') === true) return { type: 'image', data, mediaType: type };
  return { type: 'file', data, mediaType: type, filename };
}

export interface UiApproval {
  /** Of the request: its id in the page. A call's id may come again. */
  handle: string;
  approved: boolean;
  reason?: string;
}

const answeredPart = z.looseObject({
  state: z.literal('approval-responded'),
  approval: z.looseObject({ id: z.string(), approved: z.boolean(), reason: z.string().optional() }),
});

/** The answers to requests for approval that a page has put into an assistant's message. */
export function approvalsOf({ parts }: UiMessage): UiApproval[] {
  return parts.flatMap((part) => {
    const { data } = answeredPart.safeParse(part);
    if (data === undefined) return [];
    const { id, approved, reason } = data.approval;
    const said = reason === undefined ? {} : { reason: reason.slice(0, MAX_REASON_CHARS) };
    return [{ handle: id, approved, ...said }];
  });
}

const MAX_REASON_CHARS = 2_000;

const told = z.looseObject({ lastEvent: z.int().min(0) });

/** Number of the last event that the message shows, as its stream has said. */
export function lastEventOf({ metadata }: UiMessage): number | undefined {
  return told.safeParse(metadata).data?.lastEvent;
}

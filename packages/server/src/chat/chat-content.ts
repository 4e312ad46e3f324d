import { LonghaulError, type UserMessageContentPart } from '@longhaul/protocol';
import { type ChatBody, userContentSchema } from '@longhaul/protocol/api';

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

function fileOf({ url, mediaType, filename }: Record<string, unknown>): Record<string, unknown> {
  const match = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(typeof url === 'string' ? url : '');
  if (match === null) {
    throw new LonghaulError(
      'invalid_request',
      'A file must be a data: URL in base64: this server fetches nothing from elsewhere.',
    );
  }
  const type = typeof mediaType === 'string' && mediaType !== '' ? mediaType : match[1];
  const data = match[2];
  if (type?.startsWith('image/') === true) return { type: 'image', data, mediaType: type };
  return { type: 'file', data, mediaType: type, ...(filename === undefined ? {} : { filename }) };
}

export interface UiApproval {
  callId: string;
  approved: boolean;
  reason?: string;
}

/** The answers to requests for approval that a page has put into an assistant's message. */
export function approvalsOf({ parts }: UiMessage): UiApproval[] {
  return parts.flatMap((part) => {
    const approval = part['state'] === 'approval-responded' ? part['approval'] : undefined;
    if (typeof approval !== 'object' || approval === null) return [];
    const { id, approved, reason } = approval as Record<string, unknown>;
    if (typeof id !== 'string' || typeof approved !== 'boolean') return [];
    return [
      { callId: id, approved, ...(typeof reason === 'string' ? { reason: reason.slice(0, 2_000) } : {}) },
    ];
  });
}

/** Number of the last event that the message shows, as its stream has said. */
export function lastEventOf({ metadata }: UiMessage): number | undefined {
  const isObject = typeof metadata === 'object' && metadata !== null;
  const number = isObject && 'lastEvent' in metadata ? metadata.lastEvent : undefined;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

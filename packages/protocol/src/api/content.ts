import { z } from 'zod';
import type { UserMessageContentPart } from '../message.ts';

/** The content of a message from a client. */

const mediaType = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, { error: 'must be a media type, such as image/png' });

const mediaData = z.union(
  [z.base64().min(4), z.string().regex(/^@blob:[0-9a-f]{64}$/)],
  'must be base64, or @blob: followed by a blob id',
);

const filename = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^/\\\u0000-\u001f]+$/, { error: 'must be a file name without a path' });

export const userContentPartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: mediaData, mediaType: mediaType.optional() }),
  z.strictObject({
    type: z.literal('file'),
    data: mediaData,
    mediaType,
    filename: filename.optional(),
  }),
]);

const MAX_PARTS = 100;

/** A text, or a list of text, image and file parts. */
export const userContentSchema = z.union(
  [z.string().min(1), z.array(userContentPartSchema).min(1).max(MAX_PARTS)],
  `must be a non-empty text, or a list of 1 to ${MAX_PARTS} parts: {type: "text", text}, {type: "image", data}, {type: "file", data, mediaType}`,
);
export type UserContent = z.infer<typeof userContentSchema>;

export function toContentParts(content: UserContent): UserMessageContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

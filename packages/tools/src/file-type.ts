/** Media that a model may accept, recognised by their first bytes, never by name. */
export type RecognisedMedia = { kind: 'image' | 'pdf'; mediaType: string };

export function recogniseMedia(bytes: Uint8Array): RecognisedMedia | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return { kind: 'image', mediaType: 'image/png' };
  if (start.startsWith('\xff\xd8\xff')) return { kind: 'image', mediaType: 'image/jpeg' };
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a'))
    return { kind: 'image', mediaType: 'image/gif' };
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8))
    return { kind: 'image', mediaType: 'image/webp' };
  if (start.startsWith('%PDF-')) return { kind: 'pdf', mediaType: 'application/pdf' };
  return undefined;
}

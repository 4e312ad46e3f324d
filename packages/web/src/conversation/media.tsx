import { type MediaData, parseBlobReference } from '@longhaul/protocol';
import { useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';

const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image, or a file to download. Other kinds of images, such as SVG, are never shown: they can contain programs. */
export function Media({
  data,
  mediaType,
  filename,
}: {
  data: MediaData;
  mediaType: string | undefined;
  filename?: string | undefined;
}) {
  const type = mediaType ?? 'image/png';
  const url = useObjectUrl(data, type);
  const name = filename ?? type;
  if (url === undefined) return <p className="quiet">Loading {name}…</p>;
  if (url === 'missing') return <p className="bad">{name} is not stored any more.</p>;
  if (!SHOWN.has(type))
    return (
      <a href={url} download={filename ?? 'file'}>
        Download {name}
      </a>
    );
  return <img className="media" src={url} alt={name} />;
}

/** Blobs need the token, so they are read by a request and shown from memory. */
function useObjectUrl(data: MediaData, type: string): string | undefined {
  const { client } = useServer();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const ends = new AbortController();
    let made: string | undefined;
    const load = async () => {
      const blob = await readMedia(data, { client, signal: ends.signal });
      if (ends.signal.aborted) return;
      made = URL.createObjectURL(
        new Blob([blob], { type: SHOWN.has(type) ? type : 'application/octet-stream' }),
      );
      setUrl(made);
    };
    load().catch(() => {
      if (!ends.signal.aborted) setUrl('missing');
    });
    return () => {
      ends.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [client, data, type]);
  return url;
}

async function readMedia(
  data: MediaData,
  { client, signal }: { client: ReturnType<typeof useServer>['client']; signal: AbortSignal },
): Promise<BlobPart> {
  const id = parseBlobReference(data);
  if (id !== undefined) return client.blob(id, { signal });
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}

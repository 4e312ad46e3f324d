import './media.css';
import { type MediaData, parseBlobReference } from '@longhaul/protocol';
import { Download } from 'lucide-react';
import { lazy, Suspense, use, useEffect, useState } from 'react';
import { useServer } from '../data/server.ts';
import { SessionContext } from '../data/use-session.ts';
import { formatBytes } from '../ui/format.ts';

const Lightbox = lazy(async () => ({ default: (await import('./lightbox.tsx')).Lightbox }));

const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

interface MediaProps {
  data: MediaData;
  mediaType: string | undefined;
  filename?: string | undefined;
}

/** An image, or a file to download. Other kinds of images, such as SVG, are never shown: they can contain programs. */
export function Media({ data, mediaType, filename }: MediaProps) {
  const type = mediaType ?? 'image/png';
  const file = useFile(data, type);
  const [isLarge, setLarge] = useState(false);
  const name = filename ?? (SHOWN.has(type) ? 'image' : type);
  if (file === undefined) return <p className="quiet">Loading {name}…</p>;
  if (file === 'missing') return <p className="bad">{name} is no longer stored, or is damaged.</p>;
  if (!SHOWN.has(type))
    return (
      <a className="media-file" href={file.url} download={filename ?? 'file'}>
        <Download aria-hidden size={14} /> {name} ({formatBytes(file.bytes)})
      </a>
    );
  return (
    <>
      <button type="button" className="media-button" onClick={() => setLarge(true)}>
        <img className="media" src={file.url} alt={name} />
        <span className="only-read">Show the image larger</span>
      </button>
      {isLarge && (
        <Suspense>
          <Lightbox url={file.url} name={name} onClose={() => setLarge(false)} />
        </Suspense>
      )}
    </>
  );
}

interface LoadedFile {
  url: string;
  bytes: number;
}

/** Blobs need the token, so they are read by a request and shown from memory. */
function useFile(data: MediaData, type: string): LoadedFile | 'missing' | undefined {
  const { client } = useServer();
  const sessionId = use(SessionContext)?.id;
  const [file, setFile] = useState<LoadedFile | 'missing'>();
  useEffect(() => {
    const ends = new AbortController();
    let url: string | undefined;
    const load = async () => {
      const content = await readMedia(data, { client, sessionId, signal: ends.signal });
      if (ends.signal.aborted) return;
      // The browser never shows another type as a page.
      const blob = new Blob([content], { type: SHOWN.has(type) ? type : 'application/octet-stream' });
      url = URL.createObjectURL(blob);
      setFile({ url, bytes: blob.size });
    };
    load().catch(() => {
      if (!ends.signal.aborted) setFile('missing');
    });
    return () => {
      ends.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [client, sessionId, data, type]);
  return file;
}

async function readMedia(
  data: MediaData,
  {
    client,
    ...options
  }: {
    client: ReturnType<typeof useServer>['client'];
    sessionId: string | undefined;
    signal: AbortSignal;
  },
): Promise<BlobPart> {
  const id = parseBlobReference(data);
  if (id !== undefined) return client.blob(id, options);
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}

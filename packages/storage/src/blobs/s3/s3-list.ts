import { LonghaulError } from '@longhaul/protocol';
import { shownS3Address } from './s3-address.ts';
import { type S3Connection, s3Request } from './s3-request.ts';

export interface S3Object {
  key: string;
  /** Bytes. */
  size: number;
}

const OBJECT = /<Contents>(.*?)<\/Contents>/gs;

/** Yields the objects whose keys start with `prefix`. The server returns a thousand at a time. */
export async function* listObjects(connection: S3Connection, prefix: string): AsyncGenerator<S3Object> {
  for (let token: string | undefined; ; ) {
    const query = {
      'list-type': '2',
      prefix,
      ...(token === undefined ? {} : { 'continuation-token': token }),
    };
    const answer = await s3Request(connection, { method: 'GET', key: '', query }, [200]);
    const text = await answer.text();
    if (!text.includes('<ListBucketResult')) throw noList(connection);
    for (const [, object = ''] of text.matchAll(OBJECT)) {
      const key = elementOf(object, 'Key');
      if (key !== undefined) yield { key, size: Number(elementOf(object, 'Size') ?? 0) };
    }
    token = elementOf(text, 'IsTruncated') === 'true' ? elementOf(text, 'NextContinuationToken') : undefined;
    if (token === undefined) return;
  }
}

function elementOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replace(/&(\w+|#\d+);/g, characterOf);
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function characterOf(entity: string, name: string): string {
  return name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : (CHARACTERS[name] ?? entity);
}

function noList({ address }: S3Connection): LonghaulError {
  const place = shownS3Address(address);
  return new LonghaulError(
    'store_unavailable',
    `The server of ${place} did not answer with a list of objects. Check the endpoint in storage.blobs.`,
    { data: { place } },
  );
}

import { LonghaulError } from '@longhaul/protocol';
import { type S3Address, shownS3Address } from './s3-address.ts';

/** What to do about the refusals that an operator can end, by the code of S3. */
const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'Allow the key to list the bucket, and to read, write and delete its objects.',
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY.',
  ExpiredToken: 'The temporary key is too old: renew it.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  NoSuchBucket: 'Create the bucket, or correct storage.blobs.',
};

const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'StorageFull', 'InsufficientCapacity']);

/** Describes an answer that nobody expected. */
export async function s3Refusal(address: S3Address, answer: Response): Promise<LonghaulError> {
  const { code, message } = await problemOf(answer);
  const place = shownS3Address(address);
  const data = { place, status: answer.status, ...(code === undefined ? {} : { s3Code: code }) };
  if (answer.status === 507 || FULL.has(code ?? ''))
    return new LonghaulError('store_full', `${place} is full. Free some space and retry.`, { data });
  const region = answer.headers.get('x-amz-bucket-region');
  if (answer.status >= 300 && answer.status < 400)
    return new LonghaulError(
      'store_unavailable',
      `The bucket of ${place} is in ${region === null ? 'another region' : `the region ${region}`}, not in ${address.region}. Set it in storage.blobs, such as s3://${address.bucket}/PREFIX?region=${region ?? 'NAME'}.`,
      { data },
    );
  const advice = ADVICE[code ?? ''] ?? (answer.status === 403 ? ADVICE['AccessDenied'] : undefined);
  const reason = [`HTTP status ${answer.status}`, code, message].filter(Boolean).join(', ');
  return new LonghaulError(
    'store_unavailable',
    `${place} refused a request for blobs (${reason}). ${advice ?? 'Check its server.'}`,
    { data },
  );
}

export function s3Unreachable(address: S3Address, cause: Error): LonghaulError {
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  const place = shownS3Address(address);
  return new LonghaulError(
    'store_unavailable',
    `${place} cannot be reached: ${reason}. Check storage.blobs, the network and the server.`,
    { cause, data: { place } },
  );
}

async function problemOf(
  answer: Response,
): Promise<{ code?: string | undefined; message?: string | undefined }> {
  const text = await answer.text().catch(() => ''); // The status is enough.
  const find = (name: string) => new RegExp(`<${name}>([^<]{1,300})</${name}>`).exec(text)?.[1];
  return { code: find('Code'), message: find('Message')?.replace(/[.\s]+$/, '') };
}

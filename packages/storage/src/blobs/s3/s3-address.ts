import { LonghaulError } from '@longhaul/protocol';

/** A bucket of S3, or of a server with the same interface, and the start of the names of its objects. */
export interface S3Address {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  region: string;
  /** Where requests go: the bucket is the first name of their path. Absent: AWS. */
  endpoint?: URL;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const EXAMPLE = 's3://my-bucket/longhaul?region=eu-central-1';
const PARAMETERS = ['endpoint', 'region'];
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `s3://BUCKET/PREFIX?region=NAME&endpoint=URL`. The variables of AWS replace missing parameters.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export function parseS3Url(text: string, env: Environment): S3Address {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw invalid('is not an address');
  if (url.username !== '' || url.password !== '')
    throw invalid('contains a key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined || url.hash !== '')
    throw invalid(`has the parameter "${unknown ?? url.hash}"; it can have ${PARAMETERS.join(' and ')}`);
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== '') throw invalid('names no bucket');
  const names = url.pathname.split('/').filter((name) => name !== '');
  if (!names.every((name) => /^[\w.-]+$/.test(name)))
    throw invalid('can have only letters, digits, and the characters . _ - / after the bucket');
  const endpoint =
    url.searchParams.get('endpoint') ?? env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'] ?? '';
  return {
    bucket,
    prefix: names.map((name) => `${name}/`).join(''),
    region:
      url.searchParams.get('region') || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || DEFAULT_REGION,
    ...(endpoint === '' ? {} : { endpoint: parsedEndpoint(endpoint) }),
  };
}

/** Returns the address of an object, or of the bucket if `key` is empty. */
export function objectUrl({ bucket, region, endpoint }: S3Address, key: string): URL {
  if (endpoint !== undefined)
    return new URL(`${endpoint.href.replace(/\/+$/, '')}/${bucket}${key === '' ? '' : `/${key}`}`);
  // Certificates do not cover a bucket's own host name if it contains a dot.
  if (bucket.includes('.')) return new URL(`https://s3.${region}.amazonaws.com/${bucket}/${key}`);
  return new URL(`https://${bucket}.s3.${region}.amazonaws.com/${key}`);
}

/** Returns the address as messages show it. */
export function shownS3Address({ bucket, prefix, endpoint }: S3Address): string {
  const place = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
  return endpoint === undefined ? place : `${place} at ${endpoint.host}`;
}

function parsedEndpoint(text: string): URL {
  const url = URL.parse(text);
  if (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === ''
  )
    return url;
  throw invalid('has an endpoint that is not an address, such as https://minio.example.com');
}

function invalid(problem: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The address of the bucket (storage.blobs) ${problem}. Write it as: ${EXAMPLE}`,
  );
}

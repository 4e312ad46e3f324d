import assert from 'node:assert/strict';
import { it } from 'vitest';
import { objectUrl, parseS3Url, shownS3Address } from './s3-address.ts';

const urlOf = (text: string, env = {}) => objectUrl(parseS3Url(text, env), 'key').href;

it('reads the bucket, the prefix, the region and the endpoint', () => {
  assert.deepEqual(parseS3Url('s3://team/a//b/?region=eu-west-1', {}), {
    bucket: 'team',
    prefix: 'a/b/',
    region: 'eu-west-1',
  });
  assert.equal(parseS3Url('s3://team', { AWS_REGION: 'us-west-2' }).region, 'us-west-2');
  assert.equal(urlOf('s3://team?region=eu-west-1'), 'https://team.s3.eu-west-1.amazonaws.com/key');
  assert.equal(urlOf('s3://a.team'), 'https://s3.us-east-1.amazonaws.com/a.team/key');
  assert.equal(urlOf('s3://team?endpoint=http://minio:9000/'), 'http://minio:9000/team/key');
  assert.equal(
    urlOf('s3://team', { AWS_ENDPOINT_URL_S3: 'https://r2.example' }),
    'https://r2.example/team/key',
  );
  assert.equal(
    shownS3Address(parseS3Url('s3://team/a?endpoint=http://minio:9000', {})),
    's3://team/a at minio:9000',
  );
});

it.each([
  ['s3://', 'names no bucket'],
  ['s3:///a', 'names no bucket'],
  ['s3://Team_1/a', 'names no bucket'],
  ['s3://key:secret@team/a', 'contains a key'],
  ['s3://team/a?regio=x', 'has the parameter "regio"'],
  ['s3://team/a b', 'can have only letters'],
  ['s3://team/a?endpoint=minio:9000', 'has an endpoint'],
  ['s3://team/a?endpoint=http://u:secret@minio', 'has an endpoint'],
])('refuses %s', (text, problem) => {
  assert.throws(
    () => parseS3Url(text, {}),
    (error: Error) => error.message.includes(problem) && !error.message.includes('secret'),
  );
});

export { createS3BlobSpace, type S3BlobSpaceOptions } from './s3-blob-space.ts';

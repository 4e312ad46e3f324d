export { LonghaulError } from '@longhaul/protocol';
export {
  type CallOptions,
  createClient,
  type EventsOptions,
  type LonghaulClient,
  type SendOptions,
} from './client.ts';
export type { ClientOptions } from './client-options.ts';
export type * from './results.ts';
export type { ApiSchemaSource, ApiSchemas } from './schema-source.ts';

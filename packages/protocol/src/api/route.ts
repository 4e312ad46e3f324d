import type { z } from 'zod';
import type { ErrorCode } from '../error-traits.ts';
import type { Address } from './addresses.ts';

/**
 * One operation of the HTTP API. The server, the OpenAPI document and the client are generated from one table of these.
 */
export interface ApiRoute extends Address {
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  /** Schema of the JSON body. An absent body is `{}`. Not used with `consumes`. */
  body?: z.ZodType;
  /** Media types of a body that the handler gets as bytes. */
  consumes?: readonly string[];
  /** Size limit of the body. Default: `json`. */
  bodyLimit?: 'json' | 'upload';
  status: 200 | 201 | 204;
  /** Answered instead if the work happens later: while the server stops, the next process does it. */
  laterStatus?: 202;
  /** Schema of the response. The response is JSON unless `produces` is set. Absent with 204. */
  response?: z.ZodType;
  produces?: string;
  /** Error codes specific to this operation. Codes common to all operations, such as `unauthorized`, are not listed. */
  errors?: readonly ErrorCode[];
  /** The operation needs no token. */
  isPublic?: true;
}

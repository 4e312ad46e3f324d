import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** An operation of the HTTP API. Server, client and OpenAPI document are built from the same table of operations. */
export interface ApiRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Contains `{name}` for each of `params`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  /** JSON unless `consumes` is set. An absent body counts as `{}`. */
  body?: z.ZodType;
  /** Media types of a body that is passed on as raw bytes. */
  consumes?: readonly string[];
  /** Size limit of the body. Default `json`. */
  bodyLimit?: 'json' | 'upload';
  status: 200 | 201 | 204;
  /** JSON unless `produces` is set. Absent with 204. */
  response?: z.ZodType;
  produces?: string;
  /**
   * Error codes specific to this operation. Codes that every operation can return (`unauthorized` and so on) are left
   * out.
   */
  errors?: readonly ErrorCode[];
  /** Can be called without a token. */
  isPublic?: true;
}

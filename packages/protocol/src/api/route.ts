import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** One operation of the HTTP API. Server, OpenAPI document and client are made from the same table of these. */
export interface ApiRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each of `params`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  /** JSON, unless `consumes` says otherwise. An absent body is `{}`. */
  body?: z.ZodType;
  /** Media types of a body that is passed on as bytes. */
  consumes?: readonly string[];
  /** Which limit its body has. Default: `json`. */
  bodyLimit?: 'json' | 'upload';
  status: 200 | 201 | 204;
  /** JSON, unless `produces` says otherwise. Absent with 204. */
  response?: z.ZodType;
  produces?: string;
  /** Codes of this operation alone; those of every one (`unauthorized` and so on) are not named. */
  errors?: readonly ErrorCode[];
  /** Answers without a token. */
  isPublic?: true;
}

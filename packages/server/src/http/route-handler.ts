import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyOf, HeadersOf, OperationName, ParamsOf, QueryOf, ResponseOf } from '@longhaul/protocol/api';
import type { Access } from '../safety/access.ts';
import type { Caller } from '../safety/guard.ts';

/** A request after validation. */
export interface RouteRequest<Name extends OperationName> {
  params: ParamsOf<Name>;
  query: QueryOf<Name>;
  headers: HeadersOf<Name>;
  body: BodyOf<Name>;
  /** The body of an operation with `consumes`; empty for other operations. */
  bytes: Uint8Array;
  /** Whose token the request has. For a public operation, everyone counts as the admin. */
  access: Access;
  caller: Caller;
  /** Whether the token is still valid. */
  isStillValid: () => Promise<boolean>;
  /** Tells the audit which session is used, if the request does not name it. */
  noteSession: (sessionId: string) => void;
  /** Aborts when the client disconnects before the response is complete. */
  signal: AbortSignal;
  raw: {
    method: string;
    incoming: IncomingMessage;
    /** For handlers that write the response themselves. They return `RESPONSE_ALREADY_SENT`. */
    outgoing: ServerResponse;
    /** Headers that such a response must include. */
    headers: Readonly<Record<string, string>>;
  };
}

/** Handles one operation. Returns a value of the operation's response schema, or a complete `Response`. */
export type RouteHandler<Name extends OperationName> = (
  request: RouteRequest<Name>,
) => Promise<KnownFields<ResponseOf<Name>> | Response>;

/** The type without the index signatures that loose schemas add for fields of newer versions. */
export type KnownFields<Value> = Value extends readonly (infer Item)[]
  ? KnownFields<Item>[]
  : Value extends object
    ? { [Key in keyof Value as string extends Key ? never : Key]: KnownFields<Value[Key]> }
    : Value;

export type RouteHandlers = { [Name in OperationName]: RouteHandler<Name> };

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyOf, HeadersOf, OperationName, ParamsOf, QueryOf, ResponseOf } from '@longhaul/protocol/api';

/** A request whose every piece is checked. */
export interface RouteRequest<Name extends OperationName> {
  params: ParamsOf<Name>;
  query: QueryOf<Name>;
  headers: HeadersOf<Name>;
  body: BodyOf<Name>;
  /** The body of an operation that takes bytes. */
  bytes: Uint8Array;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  raw: {
    method: string;
    incoming: IncomingMessage;
    /** For answers that are written by hand; the handler then returns `RESPONSE_ALREADY_SENT`. */
    outgoing: ServerResponse;
    /** Headers that such an answer has to carry. */
    headers: Readonly<Record<string, string>>;
  };
}

/** Answers one operation: with the value of its schema, or with a response of its own. */
export type RouteHandler<Name extends OperationName> = (
  request: RouteRequest<Name>,
) => Promise<Told<ResponseOf<Name>> | Response>;

/** An answer without the room that its schema leaves for fields of newer versions. */
export type Told<Value> = Value extends readonly (infer Item)[]
  ? Told<Item>[]
  : Value extends object
    ? { [Key in keyof Value as string extends Key ? never : Key]: Told<Value[Key]> }
    : Value;

export type RouteHandlers = { [Name in OperationName]: RouteHandler<Name> };

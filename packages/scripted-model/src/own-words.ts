import type { ServerResponse } from 'node:http';
import type { ChatCompletionRequest, ChatMessage } from '@longhaul/protocol';
import { sendJson } from './answer.ts';
import type { RequestRecord } from './journal.ts';

/** What a server does with a prompt that does not fit. */
export type Handling =
  /** An error in its own words. */
  | { kind: 'status'; status: number; body: unknown }
  /** A 200, and an event that holds the error. Where there is no stream, the status 400. */
  | { kind: 'event'; body: unknown }
  /** It answers what it has left of the messages, and says nothing. */
  | { kind: 'dropped'; messages: ChatMessage[] };

/** An answer that is an error, as only one server words and sends it. */
export class OwnWords extends Error {
  override readonly name = 'OwnWords';
  readonly #handling: Exclude<Handling, { kind: 'dropped' }>;
  readonly #isStream: boolean;

  constructor(handling: Exclude<Handling, { kind: 'dropped' }>, chat: ChatCompletionRequest) {
    super(`The prompt is too long: ${JSON.stringify(handling.body)}`);
    this.#handling = handling;
    this.#isStream = chat.stream === true;
  }

  send(record: RequestRecord, response: ServerResponse): void {
    const handling = this.#handling;
    if (handling.kind === 'event' && this.#isStream) {
      record.status = 200;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: error\ndata: ${JSON.stringify(handling.body)}\n\n`);
      return;
    }
    record.status = handling.kind === 'status' ? handling.status : 400;
    sendJson(response, record.status, handling.body);
  }
}

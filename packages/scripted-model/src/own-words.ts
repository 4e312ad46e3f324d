import type { ServerResponse } from 'node:http';
import type { ChatCompletionRequest, ChatMessage } from '@longhaul/protocol';
import { sendJson } from './answer.ts';
import type { RequestRecord } from './journal.ts';

/** How a server handles a prompt that does not fit. */
export type Handling =
  /** An error status with the server's own body. */
  | { kind: 'status'; status: number; body: unknown }
  /** Status 200 and an event with the error. Without a stream, status 400. */
  | { kind: 'event'; body: unknown }
  /** An answer to the remaining messages, without any notice. */
  | { kind: 'dropped'; messages: ChatMessage[] };

/** An error response with the wording and form of one kind of server. */
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

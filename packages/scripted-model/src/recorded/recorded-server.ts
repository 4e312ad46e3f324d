import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '../answer.ts';
import { readBody } from '../read-body.ts';
import { listenLocally } from '../server.ts';
import { asksForTitle } from '../title-request.ts';
import type { RecordedAnswer } from './recorded-answers.ts';

export interface RecordedServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly port: number;
  /** The bodies of the requests, oldest first. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface RecordedServerOptions {
  /** Played in order. The last one is repeated. */
  answers: readonly RecordedAnswer[];
  /** Default: a free port. */
  port?: number;
}

const MODELS = {
  object: 'list',
  data: [{ id: 'recorded', object: 'model', created: 0, owned_by: 'longhaul' }],
};

/**
 * Starts a server on 127.0.0.1 that plays recorded answers of a provider: one for each POST, whatever its path and its
 * content.
 *
 * @example
 * await using server = await createRecordedServer({ answers: readRecordedAnswers(await readFile(file, 'utf8'), file) });
 */
export async function createRecordedServer({
  answers,
  port,
}: RecordedServerOptions): Promise<RecordedServer> {
  const requests: string[] = [];
  const play = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    // No answer of a recording is the title of another session.
    if (asksForTitle(body)) return sendJson(response, 404, { error: { message: 'No title is recorded.' } });
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(body);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.end(answer?.stream);
  };
  const listening = await listenLocally((request, response) => {
    if (request.method !== 'POST') return sendJson(response, 200, MODELS);
    // A client that disconnects before its request is complete gets no answer.
    play(request, response).catch(() => response.destroy());
  }, port);
  return {
    url: `http://127.0.0.1:${listening.port}/v1`,
    port: listening.port,
    requests,
    close: listening.close,
    [Symbol.asyncDispose]: listening.close,
  };
}

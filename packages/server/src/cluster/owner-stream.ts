import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { LonghaulEvent } from '@longhaul/protocol';

/** What another server sends about a session that it drives. */
export interface OwnerStreamOptions {
  /** Of the other server, such as `http://10.0.0.5:4140`. */
  address: string;
  secret: string;
  sessionId: string;
  onEvent: (event: LonghaulEvent) => void;
  /** Called once when nothing more arrives, unless the stream was disposed. */
  onEnd: () => void;
}

/** The path of the stream of a session, on the server that drives it. */
export const STREAM_PATH = /^\/cluster\/sessions\/([\w.-]{1,200})\/events$/;

/**
 * Opens the stream of a session on the server that drives it: the text so far of the answer in progress, then each event
 * of the session.
 */
export function openOwnerStream(options: OwnerStreamOptions): Disposable {
  const { address, secret, sessionId, onEvent, onEnd } = options;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    sent.destroy();
    onEnd();
  };
  const url = new URL(`/cluster/sessions/${encodeURIComponent(sessionId)}/events`, address);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent: ClientRequest = request(url, { headers: { authorization: `Bearer ${secret}` } });
  sent.once('error', end);
  sent.once('close', end);
  sent.once('response', (response: IncomingMessage) => {
    response.once('error', end);
    response.once('close', end);
    if (response.statusCode !== 200) {
      end();
      return;
    }
    const lines = createInterface({ input: response });
    lines.on('error', end);
    lines.on('line', (line) => {
      const event = isOver ? undefined : parsed(line);
      if (event !== undefined) onEvent(event);
    });
  });
  sent.end();
  return {
    [Symbol.dispose]() {
      isOver = true;
      sent.destroy();
    },
  };
}

/** Undefined: the line was cut off with the connection. */
function parsed(line: string): LonghaulEvent | undefined {
  try {
    // It is from a server with the secret of the cluster.
    return JSON.parse(line) as LonghaulEvent;
  } catch {
    return undefined;
  }
}

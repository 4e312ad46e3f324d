import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { LonghaulEvent } from '@longhaul/protocol';
import { TOKEN } from './test-server.ts';

/** One block of an event stream. */
export interface Block {
  id?: string;
  event?: string;
  comment?: string;
  data?: string;
}

export interface Stream extends AsyncDisposable {
  readonly response: IncomingMessage;
  readonly blocks: Block[];
  readonly events: LonghaulEvent[];
  /** Resolves when a matching block has arrived. */
  until(matches: (block: Block) => boolean): Promise<Block>;
  ended: Promise<void>;
  request: ClientRequest;
}

/** Reads events over a separate socket, block by block. */
export async function openStream(
  url: string,
  { after, headers = {} }: { after?: number | undefined; headers?: Record<string, string> } = {},
): Promise<Stream> {
  const sent = request(url, {
    agent: false,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      ...headers,
    },
  });
  sent.on('error', () => {});
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  const blocks: Block[] = [];
  const events: LonghaulEvent[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      const block = parseBlock(piece);
      blocks.push(block);
      const { data = '[DONE]', event } = block;
      if (data !== '[DONE]' && event === undefined) events.push(JSON.parse(data));
    }
    for (const look of waiting) look();
  });
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
  response.on('error', () => {});
  return {
    request: sent,
    response,
    blocks,
    events,
    ended,
    async until(matches) {
      for (let at = 0; ; ) {
        for (; at < blocks.length; at += 1) {
          const block = blocks[at];
          if (block !== undefined && matches(block)) return block;
        }
        await Promise.race([
          new Promise<void>((resolve) => waiting.add(resolve)),
          ended.then(() => {
            throw new Error(`The stream ended: ${JSON.stringify(blocks.slice(-5)).slice(-1_000)}`);
          }),
        ]);
      }
    },
    async [Symbol.asyncDispose]() {
      sent.destroy();
      await ended;
    },
  };
}

export const isEvent =
  (type: LonghaulEvent['type']) =>
  ({ data, event }: Block): boolean =>
    event === undefined && data !== undefined && JSON.parse(data).type === type;

function parseBlock(text: string): Block {
  const block: Block = {};
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === '') block.comment = value;
    if (name === 'id') block.id = value;
    if (name === 'event') block.event = value;
    if (name === 'data') block.data = value;
  }
  return block;
}

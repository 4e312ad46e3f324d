import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';

/** A protocol's request to one side. */
export interface TimedRequest {
  url: string;
  body: string;
  agent: http.Agent;
}

/** Connections are kept for one measurement only: a server closes one that is idle for some seconds. */
export async function withAgent<Value>(run: (agent: http.Agent) => Promise<Value>): Promise<Value> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  try {
    return await run(agent);
  } finally {
    agent.destroy();
  }
}

export async function timeToFirstToken(request: TimedRequest): Promise<number> {
  const started = performance.now();
  const answer = await send(request);
  let first = 0;
  for await (const bytes of answer as AsyncIterable<Buffer>) {
    if (first === 0 && bytes.includes('word ')) first = performance.now() - started;
  }
  return first;
}

/** Returns the lateness of each chunk of a stream. The upstream writes the due time into each chunk. */
export async function lateness(request: TimedRequest): Promise<number[]> {
  const late: number[] = [];
  for await (const bytes of (await send(request)) as AsyncIterable<Buffer>) {
    const now = performance.timeOrigin + performance.now();
    for (const [, due] of bytes.toString().matchAll(/due(\d+\.\d+)/g)) late.push(now - Number(due));
  }
  return late;
}

async function send({ url, body, agent }: TimedRequest): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json' };
  const request = http.request(url, { method: 'POST', agent, headers });
  request.end(body);
  // The event `response` has exactly one argument.
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

/**
 * A model server that streams at a fixed pace. Each piece of text is the machine's monotonic time at which it was sent,
 * so that a reader in any process can compute its delay. It answers "Write a file" with a call of the tool `write`.
 */
import { createServer, type ServerResponse } from 'node:http';

const deltas = Number(process.argv[2]);
const intervalMs = Number(process.argv[3]);

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    request.resume();
    response.writeHead(404).end();
    return;
  }
  let body = '';
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => {
    const last = JSON.parse(body).messages?.at(-1);
    if (last?.role === 'user' && JSON.stringify(last.content).includes('Write a file')) callTool(response);
    else stream(response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const startedAt = performance.now();
  let sent = 0;
  const next = () => {
    // A late timer sends all chunks that are due, because a model's pace does not depend on its readers.
    const due = Math.min(deltas, Math.floor((performance.now() - startedAt) / intervalMs) + 1);
    for (; sent < due; sent += 1) write(response, { content: `${process.hrtime.bigint()} ` });
    if (sent < deltas) setTimeout(next, intervalMs);
    else finish(response);
  };
  next();
}

function callTool(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const call = { name: 'write', arguments: JSON.stringify({ path: 'written.txt', content: 'text' }) };
  write(response, { tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: call }] });
  write(response, {}, 'tool_calls');
  response.end('data: [DONE]\n\n');
}

function finish(response: ServerResponse): void {
  write(response, {}, 'stop');
  response.end('data: [DONE]\n\n');
}

function write(response: ServerResponse, delta: object, reason: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'paced', choices };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

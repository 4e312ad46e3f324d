/** A server over standard input and output that misbehaves in the way that its first argument names. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  id?: number | string;
  method: string;
  params?: { name?: string; cursor?: string };
}

const [way = '', file = ''] = process.argv.slice(2);
let starts = 0;

/** Ways that do not depend on a request. */
if (way === 'ends-at-once') {
  console.error('Error: no database\n    at open (db.js:1)');
  process.exit(3);
}
if (way === 'stubborn') {
  process.on('SIGTERM', () => {});
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(file, `${process.pid} ${child.pid}`);
  setInterval(() => {}, 1000);
}

type Reply = { result: object } | { error: { code: number; message: string } };

createInterface({ input: process.stdin }).on('line', (line) => {
  const request: Request = JSON.parse(line);
  const reply = request.id === undefined ? undefined : replyTo(request);
  if (reply !== undefined) write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...reply })}\n`);
});

/** Undefined: no answer. */
function replyTo({ method, params }: Request): Reply | undefined {
  if (method === 'initialize') return initialized();
  if (method === 'tools/list') return { result: list(params?.cursor) };
  return method === 'tools/call' ? called(params?.name ?? '') : undefined;
}

function initialized(): Reply | undefined {
  if (way === 'never-ready') return undefined;
  if (way === 'garbage') write('Listening on port 3000\n{"jsonrpc": 7}\n[[[\n');
  const serverInfo = { name: 'hostile', version: '1' };
  return {
    result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo },
  };
}

function list(cursor: string | undefined): object {
  if (way === 'many') {
    const names = Array.from({ length: 1000 }, (_, index) => `tool_${index}`);
    return { tools: names.map((name) => tool(name)) };
  }
  if (way === 'endless-list') {
    return { tools: [tool(`t${cursor}`)], nextCursor: `${Number(cursor ?? 0) + 1}` };
  }
  if (way === 'bad-list') return { tools: [{ name: 7 }] };
  if (way === 'names') {
    const names = ['read file', 'read/file', 'read.file', 'x'.repeat(90), 'x'.repeat(91), 'Ünïcode', ''];
    return { tools: names.map((name) => tool(name)) };
  }
  if (way === 'renames') {
    starts += 1;
    return { tools: [tool(starts === 1 ? 'old' : 'new')] };
  }
  const long = { type: 'object', properties: { a: { description: 'x'.repeat(60_000) } } };
  return { tools: [tool('go'), ...(way === 'long-schema' ? [{ ...tool('long'), inputSchema: long }] : [])] };
}

function tool(name: string) {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object', properties: {} } };
}

function called(name: string): Reply | undefined {
  if (way === 'hangs') return undefined;
  if (way === 'dies') {
    console.error('Segmentation fault');
    process.exit(139);
  }
  if (way === 'renames' && name === 'old') {
    write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
    return { error: { code: -32_602, message: `Unknown tool: ${name}` } };
  }
  if (way === 'wrong-result') return { result: { content: 'not a list' } };
  if (way === 'bomb') return { result: { content: images() } };
  return { result: { content: [{ type: 'text', text: textOf() }] } };
}

function textOf(): string {
  if (way === 'huge') return `start ${'0123456789'.repeat(500_000)} end`;
  if (way === 'too-long') return 'x'.repeat(40 * 1024 * 1024);
  if (way === 'controls') return 'before \u001b[2J\u0007after';
  if (way !== 'counts') return 'ok';
  starts += 1;
  return `${process.pid} ${starts}`;
}

/** An image that is too large, one that is none, and too many small ones. */
function images() {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const large = Buffer.concat([png, Buffer.alloc(6 * 1024 * 1024)]);
  const data = [large, Buffer.from('<svg/>'), ...Array.from({ length: 25 }, () => png)];
  return data.map((bytes) => ({ type: 'image', mimeType: 'image/png', data: bytes.toString('base64') }));
}

function write(value: string): void {
  process.stdout.write(value);
}

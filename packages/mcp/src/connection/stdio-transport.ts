import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { MessageLines } from './message-lines.ts';
import { OutputTail } from './output-tail.ts';
import { endServerProcess } from './server-process.ts';

/**
 * Speaks with a server over its standard input and output. The transport of the SDK ends only the process that it has
 * started, which is often `npx` and not the server.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #start: () => Promise<ChildProcessWithoutNullStreams>;
  readonly #tail = new OutputTail();
  readonly #lines = new MessageLines();
  #child: ChildProcessWithoutNullStreams | undefined;
  #fault: string | undefined;
  /** The client handles a report of progress a moment after it got it, and drops it if the result is there by then. */
  #received: Promise<void> = Promise.resolve();

  constructor(start: () => Promise<ChildProcessWithoutNullStreams>) {
    this.#start = start;
  }

  /** Why the server has ended, with the end of its standard error. Undefined while it runs. */
  get ending(): string | undefined {
    const child = this.#child;
    if (child === undefined) return undefined;
    const { exitCode, signalCode } = child;
    if (this.#fault === undefined && exitCode === null && signalCode === null) return undefined;
    const how =
      this.#fault ??
      (signalCode === null ? `ended with exit code ${exitCode}` : `was killed by ${signalCode}`);
    const output = this.#tail.lastLines();
    return output === '' ? how : `${how}. Its last output:\n${output}`;
  }

  async start(): Promise<void> {
    const child = await this.#start();
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#tail.add(text));
    // After `close`, all output has been read.
    child.once('close', () => this.#afterMessages(() => this.onclose?.()));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin?.writable !== true) throw new Error('The server has ended.');
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await once(stdin, 'drain').catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#child !== undefined) await endServerProcess(this.#child);
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#afterMessages(() => this.#receive(line));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#fault = error.message;
      this.#child?.kill('SIGKILL');
    }
  }

  #afterMessages(work: () => void): void {
    this.#received = this.#received.then(work).catch((error: Error) => this.onerror?.(error));
  }

  /** A line that is not a message, such as a server's log, is kept with its standard error. */
  #receive(line: string): void {
    const message = JSONRPCMessageSchema.safeParse(parsed(line));
    if (message.success) this.onmessage?.(message.data);
    else this.#tail.add(`${line}\n`);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

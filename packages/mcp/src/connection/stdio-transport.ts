import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { MessageLines } from './message-lines.ts';
import { OutputTail } from './output-tail.ts';
import type { ServerProcess, StartServer } from './server-process.ts';

/**
 * Speaks with a server over its standard input and output. The transport of the SDK ends only the process that it has
 * started, which is often `npx` and not the server.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #start: StartServer;
  readonly #tail = new OutputTail();
  readonly #lines = new MessageLines();
  #process: ServerProcess | undefined;
  #fault: string | undefined;
  /** The client handles a report of progress a moment after it got it, and drops it if the result is there by then. */
  #received: Promise<void> = Promise.resolve();

  constructor(start: StartServer) {
    this.#start = start;
  }

  /** The path of the workspace, as the server sees it. Undefined until it has started. */
  get workspacePath(): string | undefined {
    return this.#process?.workspacePath;
  }

  /** Why the server has ended, with the end of its standard error. Undefined while it runs. */
  get ending(): string | undefined {
    const how = this.#fault ?? this.#process?.ending;
    if (how === undefined) return undefined;
    const output = this.#tail.lastLines();
    return output === '' ? how : `${how}. Its last output:\n${output}`;
  }

  async start(): Promise<void> {
    this.#process = await this.#start({
      stdout: (chunk) => this.#read(chunk),
      stderr: (text) => this.#tail.add(text),
      closed: () => this.#afterMessages(() => this.onclose?.()),
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined) throw new Error('The server has not started.');
    await this.#process.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#process?.end();
  }

  #read(chunk: Uint8Array): void {
    try {
      for (const line of this.#lines.add(chunk)) this.#afterMessages(() => this.#receive(line));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#fault = error.message;
      this.#process?.kill();
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

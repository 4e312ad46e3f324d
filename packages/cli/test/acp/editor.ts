import type { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { Bench, CommandOptions, Ended, Running } from '../harness.ts';
import { ProtocolSchema } from './protocol-schema.ts';

type UpdateKind = SessionUpdate['sessionUpdate'];
export type UpdateOf<Kind extends UpdateKind> = SessionUpdate & { sessionUpdate: Kind };

export interface EditorOptions {
  /** Arguments after `acp`. */
  args?: readonly string[];
  capabilities?: ClientCapabilities;
  /** Answers questions for permission. Default: allows once. */
  permit?: (question: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  /** Fills in forms. Default: declines. */
  fill?: (form: CreateElicitationRequest) => Promise<CreateElicitationResponse>;
  /** Unsaved and saved text of files, by their absolute paths. Absent: the editor has no such files. */
  buffers?: Map<string, string>;
  /** The editor refuses to write files. Default: false. */
  refusesWrites?: boolean;
  env?: CommandOptions['env'];
}

/** An editor: the SDK's client, and everything that it got. Every message is validated. */
export class Editor implements AsyncDisposable {
  readonly updates: { sessionId: string; update: SessionUpdate }[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  readonly forms: CreateElicitationRequest[] = [];
  /** Texts that the agent wrote to buffers. */
  readonly written: { path: string; content: string }[] = [];
  readonly schema = new ProtocolSchema();
  readonly #running: Running;
  readonly #connection: ClientConnection;
  readonly #seen = new EventTarget();
  /** How many messages of this editor are written, or wait in the corked input. */
  #sent = 0;

  private constructor(running: Running, options: EditorOptions) {
    this.#running = running;
    const {
      permit = async () => chosen('once'),
      fill = async () => ({ action: 'decline' }),
      buffers,
    } = options;
    const app = client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
        this.#seen.dispatchEvent(new Event('message'));
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.questions.push(params);
        this.#seen.dispatchEvent(new Event('message'));
        return permit(params);
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        this.forms.push(params);
        this.#seen.dispatchEvent(new Event('message'));
        return fill(params);
      })
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        const content = buffers?.get(path);
        if (content === undefined) throw new Error(`${path} is not open`);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        if (options.refusesWrites === true) throw new Error(`${path} is locked`);
        this.written.push({ path, content });
        buffers?.set(path, content);
        return {};
      });
    const { stdin, stdout } = running.child;
    if (stdin === null || stdout === null) throw new Error('The command has no pipes.');
    const stream = ndJsonStream(this.#writing(stdin), bytesOf(stdout));
    this.#connection = app.connect(this.#checked(stream));
  }

  /** Starts the command and initializes the connection. */
  static async open(bench: Bench, options: EditorOptions): Promise<Editor> {
    const editor = Editor.start(bench, options);
    await editor.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientCapabilities: options.capabilities,
    });
    return editor;
  }

  /** Starts the command. */
  static start(bench: Bench, options: EditorOptions): Editor {
    const { args = [], env } = options;
    return new Editor(bench.start(['acp', ...args], { keepsInput: true, env }), options);
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  get ended(): Promise<Ended> {
    return this.#running.ended;
  }

  get running(): Running {
    return this.#running;
  }

  async begin(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  prompt(sessionId: string, ...content: (string | ContentBlock)[]) {
    const prompt = content.map(
      (each): ContentBlock => (typeof each === 'string' ? { type: 'text', text: each } : each),
    );
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Writes a line as it is. */
  async write(line: string): Promise<void> {
    await new Promise((done) => this.#running.child.stdin?.write(`${line}\n`, done));
  }

  /**
   * Sends the messages of `send` in one piece, so that the agent has read all of them before it answers any.
   *
   * @param count How many messages `send` sends.
   */
  async inOnePiece<const T extends readonly unknown[]>(count: number, send: () => T): Promise<T> {
    const all = this.#sent + count;
    this.#running.child.stdin?.cork();
    const sent = send();
    await this.until(() => this.#sent === all);
    this.#running.child.stdin?.uncork();
    return sent;
  }

  /** Sends the messages of `send`, and does not read before they are written: the agent cannot send much until then. */
  async unread<const T extends readonly unknown[]>(count: number, send: () => T): Promise<T> {
    const all = this.#sent + count;
    this.#running.child.stdout?.pause();
    const sent = send();
    await this.until(() => this.#sent === all);
    this.#running.child.stdout?.resume();
    return sent;
  }

  /** Closes the command's standard input. */
  leave(): void {
    this.#running.child.stdin?.end();
  }

  /** Returns the updates of a session, in order. */
  updatesOf(sessionId: string): SessionUpdate[] {
    return this.updates.filter((each) => each.sessionId === sessionId).map(({ update }) => update);
  }

  /** Returns the updates of a kind, in order, of all sessions or of one. */
  of<Kind extends UpdateKind>(kind: Kind, id?: string): UpdateOf<Kind>[] {
    return this.updates.flatMap(({ sessionId, update }) =>
      isOf(update, kind) && (id === undefined || id === sessionId) ? [update] : [],
    );
  }

  /** Resolves when the condition holds. It is checked after each message. */
  async until(condition: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => condition() && resolve();
      this.#seen.addEventListener('message', look);
      this.ended.then(({ stdout, stderr }) => reject(new Error(`It ended: ${stdout}\n${stderr}`)), reject);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    await this.ended;
    this.#connection.close();
  }

  #writing(stdin: Writable): WritableStream<Uint8Array> {
    return new WritableStream({
      write: async (bytes) => {
        const written = new Promise<void>((done, fail) =>
          stdin.write(bytes, (error) => (error ? fail(error) : done())),
        );
        if (stdin.writableCorked === 0) await written;
        this.#sent += 1;
        this.#seen.dispatchEvent(new Event('message'));
      },
      close: () => void stdin.end(),
    });
  }

  #checked({ readable, writable }: Stream): Stream {
    const look = (from: 'agent' | 'client') =>
      new TransformStream<AnyMessage, AnyMessage>({
        transform: (message, controller) => {
          this.schema.check(from, message);
          controller.enqueue(message);
          this.#seen.dispatchEvent(new Event('message'));
        },
      });
    const sent = look('client');
    // The end of the command is seen by its own promise.
    sent.readable.pipeTo(writable).catch(() => undefined);
    return { readable: readable.pipeThrough(look('agent')), writable: sent.writable };
  }
}

export function textOf(chunks: readonly { content: ContentBlock }[]): string {
  return chunks.map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`)).join('');
}

function isOf<Kind extends UpdateKind>(update: SessionUpdate, kind: Kind): update is UpdateOf<Kind> {
  return update.sessionUpdate === kind;
}

export function chosen(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } };
}

/** The harness reads standard output as text. */
function bytesOf(stdout: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      stdout.on('data', (text: string) => controller.enqueue(Buffer.from(text)));
      stdout.on('end', () => controller.close());
    },
  });
}

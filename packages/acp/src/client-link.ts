import {
  type AgentConnection,
  type AgentContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  type ReadTextFileRequest,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { type ClientFeatures, NO_FEATURES } from './client-features.ts';
import { Outbox } from './updates/outbox.ts';

const { client: clientMethods } = methods;

/** The client, as the sessions see it. */
export class ClientLink {
  /** What the client has announced with `initialize`. */
  features: ClientFeatures = NO_FEATURES;
  readonly outbox: Outbox;
  readonly log: (line: string) => void;
  readonly #connection: () => AgentConnection;

  /** @param connection Returns the connection. Called only after a message of the client. */
  constructor(connection: () => AgentConnection, log: (line: string) => void) {
    this.#connection = connection;
    // Failures that occur because the client has disconnected are not reported.
    this.log = (line) => {
      if (this.isConnected) log(line);
    };
    this.outbox = new Outbox((update) => this.#client.notify(clientMethods.session.update, update));
  }

  get isConnected(): boolean {
    return !this.#connection().signal.aborted;
  }

  get #client(): AgentContext {
    return this.#connection().client;
  }

  /** Asks the person. Rejects when the signal aborts: the client is then told that the question is withdrawn. */
  requestPermission(
    question: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return this.#client.request(clientMethods.session.requestPermission, question, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
  }

  /** Shows a form to the person. Rejects as `requestPermission`. */
  showForm(form: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    return this.#client.request(clientMethods.elicitation.create, form, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
  }

  /** Returns the text of the editor's buffer. Rejects if the client refuses, or does not answer. */
  async readTextFile(request: ReadTextFileRequest, signal: AbortSignal): Promise<string> {
    const options = waitFor(signal);
    const { content } = await this.#client.request(clientMethods.fs.readTextFile, request, options);
    return content;
  }

  /** Changes the editor's buffer and saves it. Rejects as `readTextFile`. */
  async writeTextFile(request: WriteTextFileRequest, signal: AbortSignal): Promise<void> {
    await this.#client.request(clientMethods.fs.writeTextFile, request, waitFor(signal));
  }
}

/** How long an editor may take for a file. */
const ANSWER_WITHIN_MS = 20_000;

function waitFor(signal: AbortSignal) {
  const cancellationSignal = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
  return { cancellationSignal, stopWaitingOnCancel: true };
}

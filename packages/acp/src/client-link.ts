import {
  type AgentContext,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
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
  readonly #context: () => AgentContext;

  /** @param context Returns the connected client. Called only after a message of it. */
  constructor(context: () => AgentContext, log: (line: string) => void) {
    this.#context = context;
    this.log = log;
    this.outbox = new Outbox((update) => context().notify(clientMethods.session.update, update));
  }

  /** Asks the person. Rejects when the signal aborts: the client is then told that the question is withdrawn. */
  requestPermission(
    question: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return this.#context().request(clientMethods.session.requestPermission, question, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
  }

  async readTextFile(sessionId: string, path: string): Promise<string> {
    const { content } = await this.#context().request(clientMethods.fs.readTextFile, { sessionId, path });
    return content;
  }

  async writeTextFile(sessionId: string, path: string, content: string): Promise<void> {
    await this.#context().request(clientMethods.fs.writeTextFile, { sessionId, path, content });
  }
}

import { type AgentApp, agent, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { agentCapabilities } from './agent-capabilities.ts';
import { featuresOf } from './client-features.ts';
import type { ClientLink } from './client-link.ts';
import { allowedTools } from './prompt/allowed-tools.ts';
import { answering, problemOf } from './request-error.ts';
import type { SessionBook } from './sessions/session-book.ts';
import { AGENT_OPTION, configOptionsOf } from './sessions/session-settings.ts';

const { initialize, session } = methods.agent;

export interface AgentAppOptions {
  book: SessionBook;
  link: ClientLink;
  version: string;
}

/** Creates the handlers of the protocol's methods. The SDK validates parameters and refuses unknown methods. */
export function createAgentApp({ book, link, version }: AgentAppOptions): AgentApp {
  const app = agent({ name: 'longhaul' }).onRequest(initialize, ({ params }) => {
    link.features = featuresOf(params.clientCapabilities);
    return {
      // A client that speaks only other versions closes the connection.
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'longhaul', title: 'Longhaul', version },
      agentCapabilities: agentCapabilities(),
      // Keys of models come from the environment and from longhaul.yml.
      authMethods: [],
    };
  });
  addSessions(app, book);
  addSettings(app, book);
  return (
    app
      .onRequest(session.prompt, ({ params, signal }) =>
        answering(async () => ({
          stopReason: await book.get(params.sessionId).prompt(params.prompt, {
            tools: allowedTools(params._meta),
            signal,
          }),
        })),
      )
      // Registered last: a message passes the handlers in this order, and a cancel must not overtake its prompt.
      .onNotification(session.cancel, async ({ params }) => {
        const open = book.find(params.sessionId);
        // There is no response to report a failure in.
        await open?.cancel().catch((error: unknown) => link.log(`A cancel failed: ${problemOf(error)}`));
      })
  );
}

function addSessions(app: AgentApp, book: SessionBook): void {
  app
    .onRequest(session.new, ({ params }) => answering(() => book.begin(params)))
    .onRequest(session.load, ({ params, signal }) =>
      answering(() => book.load(params.sessionId, params, signal)),
    )
    .onRequest(session.resume, ({ params }) => answering(() => book.resume(params.sessionId, params)))
    .onRequest(session.list, ({ params }) => answering(() => book.list(params)))
    .onRequest(session.close, ({ params }) => done(() => book.close(params.sessionId)))
    .onRequest(session.delete, ({ params }) => done(() => book.delete(params.sessionId)));
}

function addSettings(app: AgentApp, book: SessionBook): void {
  app
    .onRequest(session.setMode, ({ params: { sessionId, modeId } }) =>
      done(async () => {
        const open = book.get(sessionId);
        await open.set(AGENT_OPTION, modeId);
        const configOptions = await configOptionsOf(open.fields, open.workspace);
        open.send([{ sessionUpdate: 'config_option_update', configOptions }]);
      }),
    )
    .onRequest(session.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      answering(async () => {
        const open = book.get(sessionId);
        await open.set(configId, String(value));
        if (configId === AGENT_OPTION)
          open.send([{ sessionUpdate: 'current_mode_update', currentModeId: String(value) }]);
        return { configOptions: await configOptionsOf(open.fields, open.workspace) };
      }),
    );
}

function done(work: () => Promise<void>): Promise<Record<string, never>> {
  return answering(async () => {
    await work();
    return {};
  });
}

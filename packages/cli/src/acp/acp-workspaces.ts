import type { AcpWorkspace, ToolsWrapper } from '@longhaul/acp';
import { createJudge } from '@longhaul/approvals';
import type { ConfigInput } from '@longhaul/config';
import { loadSettings, type Place, type Settings } from '../compose/load-settings.ts';
import { openCache } from '../compose/open-cache.ts';
import { openStorage } from '../compose/open-storage.ts';
import { openTelemetry } from '../compose/open-telemetry.ts';
import { promptNames } from '../mcp/offer-names.ts';
import { openServedAgent } from '../serve/open-served-agent.ts';
import type { Terminal } from '../terminal.ts';
import { watchMainThread } from '../watchdog/watchdog.ts';
import { sessionCommands } from './acp-commands.ts';

import { personCommands } from './person-commands.ts';

/** Commands of an editor do not wait longer for a server. */
const OFFERS_MS = 5_000;

export interface AcpWorkspacesOptions {
  terminal: Terminal;
  place: Omit<Place, 'cwd'>;
  flags: ConfigInput;
}

/**
 * Returns a function that opens the agent of a folder, with the configuration of that folder. Folders that are the same
 * have one agent.
 */
export function acpWorkspaces({ terminal, place, flags }: AcpWorkspacesOptions) {
  const opened = new Map<string, Promise<AcpWorkspace>>();
  return async (folder: string, wrapTools: ToolsWrapper): Promise<AcpWorkspace> => {
    const settings = await loadSettings({ ...place, cwd: folder }, terminal, flags);
    const known = opened.get(settings.workspace);
    if (known !== undefined) return known;
    const opening = openWorkspace(settings, { terminal, wrapTools });
    opened.set(settings.workspace, opening);
    opening.catch(() => opened.delete(settings.workspace));
    return opening;
  };
}

async function openWorkspace(
  settings: Settings,
  { terminal, wrapTools }: { terminal: Terminal; wrapTools: ToolsWrapper },
): Promise<AcpWorkspace> {
  await using opening = new AsyncDisposableStack();
  const { url } = settings.config.storage;
  const storage = await openStorage(settings.config.storage);
  opening.use(storage.store);
  const chats = opening.use(await openCache(url));
  const { agent, settings: current } = await openServedAgent(settings, {
    terminal,
    storage,
    chats,
    hasToken: false,
    wrapTools,
  });
  opening.use(await openTelemetry(current.config.telemetry.otlp, agent.runtime));
  opening.use(watchMainThread(agent.runtime));
  const { runtime, store, blobs, models, agents } = agent;
  const judge = createJudge([]);
  const builtIn = sessionCommands(agent, settings.workspace);
  const resources = opening.move();
  return {
    folder: settings.workspace,
    runtime,
    store,
    blobs,
    models: {
      resolve: (name) => models.resolve(name),
      prepare: (name, signal) => models.prepare(name, signal),
      list: async () => (await models.list()).models,
    },
    agents,
    commands: async () => [
      ...builtIn,
      ...(await personCommands(builtIn, { workspace: settings.workspace, config: current.config, terminal })),
    ],
    offeredCommands: async (sessionId) =>
      promptNames(await agent.mcp.offers(sessionId, AbortSignal.timeout(OFFERS_MS))),
    async allowedByAlways({ toolName, args }) {
      const { subjects } = await judge({ toolName, input: args, workspacePath: settings.workspace }, 'ask');
      return subjects.map(shownSubject);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A subject is a command, or a tool and a path outside the workspace. */
function shownSubject(subject: string): string {
  const [tool = '', path] = subject.split('\0');
  return path === undefined || path === '' ? tool : `${tool} ${path}`;
}

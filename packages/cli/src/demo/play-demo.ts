import { type Config, resolveModel } from '@longhaul/config';
import type { Sandbox, Store } from '@longhaul/core';
import type { EventOf, Session } from '@longhaul/protocol';
import { type ScriptedModelProcess, startScriptedModelProcess } from '@longhaul/scripted-model';
import { DEMO_SCRIPT_MODULE } from '@longhaul/scripted-model/demo';
import { nameOf, openAgent } from '../compose/open-agent.ts';
import { openSandbox } from '../compose/open-sandbox.ts';
import { holdStorage } from '../compose/open-storage.ts';
import { drive, headerOf } from '../run/run-task.ts';
import type { RunDisplay, showRun } from '../run/show-run.ts';
import type { Terminal } from '../terminal.ts';
import { type Inspection, inspectApplication } from './inspect-application.ts';
import { readLogSizes } from './log-sizes.ts';

export interface PlayOptions {
  terminal: Terminal;
  signal: AbortSignal;
  windowTokens: number;
  task: string;
  config: Config;
  workspace: string;
  show: (runtime: Parameters<typeof showRun>[0], sessionId: string) => Promise<RunDisplay>;
}

export interface Outcome {
  exitCode: number;
  finished?: EventOf<'run:finished'> | undefined;
  /** Requests that the server refused for their size. */
  overflows: number;
  /** Tokens in the log of the session, and of each of its children. */
  logTokens: number;
  childLogTokens: readonly number[];
  inspection?: Inspection;
}

/** Runs the agent with the scripted model. Then runs the tests of what it has built. */
export async function playDemo(options: PlayOptions): Promise<Outcome> {
  const { terminal, signal, windowTokens, task, config, workspace } = options;
  await using server = await startScriptedModelProcess({
    scriptModule: DEMO_SCRIPT_MODULE,
    windowTokens,
    model: 'flashcards',
  });
  await using storage = holdStorage(config.storage);
  const model = scriptedModel(config, server);
  let display: RunDisplay | undefined;
  const agent = await openAgent({
    config,
    model,
    window: windowTokens,
    storage: storage.opened,
    env: terminal.env,
    onSandbox: (sandbox, session) => display?.header(headerOf(agent, { sandbox, session, task })),
  });
  const session = await agent.runtime.createSession({ workspace, model: nameOf(model), task });
  const shown = await options.show(agent.runtime, session.id);
  display = shown;
  const content = [{ type: 'text' as const, text: task }];
  let exitCode: number;
  try {
    exitCode = await drive(agent, shown, { session, content, signal, terminal });
  } finally {
    shown[Symbol.dispose]();
  }
  const { overflows } = await server.stats();
  const { finished } = shown;
  const { store } = await storage.opened;
  const outcome = { exitCode, finished, overflows, ...(await logSizes(store, session.id)) };
  if (finished?.status !== 'completed') return outcome;
  await using sandbox = await reopen(config, { session, terminal });
  return { ...outcome, inspection: await inspectApplication(sandbox, signal) };
}

async function logSizes(
  store: Store,
  sessionId: string,
): Promise<Pick<Outcome, 'logTokens' | 'childLogTokens'>> {
  const [logTokens = 0, ...childLogTokens] = await readLogSizes(store, sessionId);
  return { logTokens, childLogTokens };
}

function scriptedModel(config: Config, { url, model }: ScriptedModelProcess) {
  const providers = { scripted: { kind: 'openai-compatible', baseUrl: url } as const };
  return resolveModel({ ...config, providers }, { model: `scripted/${model}`, env: {} });
}

function reopen(
  config: Config,
  { session, terminal }: { session: Session; terminal: Terminal },
): Promise<Sandbox> {
  return openSandbox(config, { session, env: terminal.env });
}

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, DEFAULT_CONFIG, resolveModel } from '@longhaul/config';
import type { Sandbox, SandboxKind } from '@longhaul/core';
import { type EventOf, LonghaulError, type Session } from '@longhaul/protocol';
import { type ScriptedModelProcess, startScriptedModelProcess } from '@longhaul/scripted-model';
import { DEMO_SCRIPT_MODULE, DEMO_TASK } from '@longhaul/scripted-model/demo';
import { loadSettings } from '../compose/load-settings.ts';
import { nameOf, openAgent } from '../compose/open-agent.ts';
import { openSandbox } from '../compose/open-sandbox.ts';
import { holdStorage } from '../compose/open-storage.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { drive, headerOf } from '../run/run-task.ts';
import { loadMarkdown, type RunDisplay, showRun } from '../run/show-run.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';
import { demoReport } from './demo-report.ts';
import { type Inspection, inspectApplication } from './inspect-application.ts';
import { pickSandbox } from './pick-sandbox.ts';

export interface DemoOptions {
  terminal: Terminal;
  signal: AbortSignal;
  json: boolean;
  /** Keeps the session's database too; with `json`, also the application. */
  keep: boolean;
  sandbox: 'auto' | SandboxKind;
  windowTokens: number;
  noColor?: boolean;
}

/** The demonstration must show a task that outlasts its window. */
const LEAST_COMPACTIONS = 2;

/**
 * Runs the demonstration in a new folder. Returns the exit code: 0 only if the application was built and its tests
 * pass.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { terminal, json } = options;
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-demo-'));
  const workspace = join(folder, 'flashcards');
  await mkdir(workspace);
  const kind = await pickSandbox(options.sandbox, { workspace, signal: options.signal });
  if (!json) terminal.out.write(introduction(kind, options));
  const config = await demoConfig(options, { kind, database: join(folder, 'session.db') });
  const outcome = await playDemo(options, { config, workspace });
  const isGood = isAsPromised(outcome);
  await cleanUp(folder, { isGood, ...options });
  report(outcome, { ...options, workspace, folder, isGood });
  return isGood ? 0 : outcome.exitCode || 1;
}

interface Outcome {
  exitCode: number;
  finished?: EventOf<'run:finished'>;
  /** Requests that the server refused for their size. */
  overflows: number;
  inspection?: Inspection;
}

async function playDemo(
  options: DemoOptions,
  { config, workspace }: { config: Config; workspace: string },
): Promise<Outcome> {
  const { terminal, signal, windowTokens } = options;
  await using server = await startScriptedModelProcess({
    scriptModule: DEMO_SCRIPT_MODULE,
    windowTokens,
    model: 'flashcards',
  });
  await using storage = holdStorage(config.storage.url);
  const model = scriptedModel(config, server);
  let display: RunDisplay | undefined;
  const agent = await openAgent({
    config,
    model,
    window: windowTokens,
    storage: storage.opened,
    env: terminal.env,
    onSandbox: (sandbox, session) => display?.header(headerOf(agent, { sandbox, session, task: DEMO_TASK })),
  });
  const session = await agent.runtime.createSession({ workspace, model: nameOf(model), task: DEMO_TASK });
  const shown = await showDemo(options, agent.runtime);
  display = shown;
  const content = [{ type: 'text' as const, text: DEMO_TASK }];
  let exitCode: number;
  try {
    exitCode = await drive(agent, shown, { session, content, signal, terminal });
  } finally {
    shown[Symbol.dispose]();
  }
  const { overflows } = await server.stats();
  const { finished } = shown;
  if (finished?.status !== 'completed') return { exitCode, overflows, finished };
  await using sandbox = await reopen(config, { session, terminal });
  return { exitCode, finished, overflows, inspection: await inspectApplication(sandbox, signal) };
}

async function showDemo(
  { terminal, json, noColor }: DemoOptions,
  runtime: Parameters<typeof showRun>[0],
): Promise<RunDisplay> {
  const display = json ? 'events' : 'progress';
  const markdown = await loadMarkdown(terminal, { display, noColor });
  return showRun(runtime, terminal, { display, shortSummary: true, noColor, markdown });
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

/** The user's configuration must not change the demonstration. Only the image for docker is taken from it. */
async function demoConfig(
  { sandbox, terminal }: DemoOptions,
  { kind, database }: { kind: SandboxKind; database: string },
): Promise<Config> {
  const image =
    sandbox === 'docker'
      ? (await loadSettings({}, terminal)).config.sandbox.image
      : DEFAULT_CONFIG.sandbox.image;
  return {
    ...DEFAULT_CONFIG,
    sandbox: { ...DEFAULT_CONFIG.sandbox, driver: kind, image, network: 'off' },
    storage: { ...DEFAULT_CONFIG.storage, url: `sqlite:${database}` },
  };
}

function introduction(
  kind: SandboxKind,
  { sandbox, terminal }: Pick<DemoOptions, 'sandbox' | 'terminal'>,
): string {
  const columns = columnsOf(terminal.out);
  const text = wrapText(
    'This is a demonstration. The model is scripted: a local process plays it, and no key and no network are used. ' +
      'Everything else is real: the agent, its tools, the sandbox, the window and its compactions.',
    columns,
  );
  if (kind !== 'local' || sandbox !== 'auto') return `${text}\n`;
  const notice = wrapText(
    'Neither bubblewrap nor Docker works here, so the commands run as you, without isolation, in a new temporary folder. ' +
      'For a sandbox: apt install bubblewrap.',
    columns,
  );
  return `${text}${notice}\n`;
}

function isAsPromised({ finished, inspection }: Outcome): boolean {
  if (finished?.status !== 'completed' || inspection?.verified !== true) return false;
  return finished.compactions >= LEAST_COMPACTIONS;
}

async function cleanUp(
  folder: string,
  { isGood, keep, json }: { isGood: boolean; keep: boolean; json: boolean },
): Promise<void> {
  if (keep || !isGood) return;
  if (json) return rm(folder, { recursive: true, force: true });
  for (const name of ['session.db', 'session.db-wal', 'session.db-shm', 'blobs']) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function report(
  { finished, overflows, inspection }: Outcome,
  options: DemoOptions & { workspace: string; folder: string; isGood: boolean },
): void {
  const { terminal, json, noColor, keep, isGood } = options;
  if (finished === undefined)
    throw new LonghaulError('internal', 'The demonstration ended without a result.');
  if (json) {
    const { status, stepCount: steps, compactions } = finished;
    const verified = inspection?.verified ?? false;
    terminal.out.write(`${JSON.stringify({ status, steps, compactions, overflows, verified })}\n`);
    return;
  }
  const text = demoReport(
    {
      finished,
      overflows,
      workspace: options.workspace,
      database: keep || !isGood ? join(options.folder, 'session.db') : undefined,
      inspection,
      leastCompactions: LEAST_COMPACTIONS,
    },
    { colors: wantsColors(terminal, noColor) },
  );
  terminal.out.write(text);
}

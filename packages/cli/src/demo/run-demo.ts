import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type Config, DEFAULT_CONFIG } from '@longhaul/config';
import type { SandboxKind } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { DEMO_TASK, DEMO_TASK_WITH_CHILDREN } from '@longhaul/scripted-model/demo';
import { loadSettings } from '../compose/load-settings.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { loadMarkdown, type RunDisplay, showRun } from '../run/show-run.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';
import { demoReport } from './demo-report.ts';
import { pickSandbox } from './pick-sandbox.ts';
import { type Outcome, playDemo } from './play-demo.ts';

export interface DemoOptions {
  terminal: Terminal;
  signal: AbortSignal;
  json: boolean;
  /** Keeps the session's database too; with `json`, also the application. */
  keep: boolean;
  sandbox: 'auto' | SandboxKind;
  windowTokens: number;
  /** Parts of the task are for children. Runs it without children first. */
  children: boolean;
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
  const alone = await playAlone(options, kind, folder);
  const config = await demoConfig(options, { kind, database: join(folder, 'session.db') });
  const outcome = await playDemo({
    ...options,
    config,
    workspace,
    task: options.children ? DEMO_TASK_WITH_CHILDREN : DEMO_TASK,
    show: (runtime, sessionId) => showDemo(options, runtime, sessionId),
  });
  const isGood = isAsPromised(outcome, alone);
  await cleanUp(folder, { isGood, ...options });
  report(outcome, { ...options, alone, workspace, folder, isGood });
  return isGood ? 0 : outcome.exitCode || 1;
}

/** Runs the same task without children first, to compare what the parent's window has to hold. */
async function playAlone(
  options: DemoOptions,
  kind: SandboxKind,
  folder: string,
): Promise<Outcome | undefined> {
  const { terminal, json, signal, windowTokens } = options;
  if (!options.children) return undefined;
  if (!json) terminal.out.write('First the task without children, for comparison. It is not shown.\n');
  const workspace = join(folder, 'alone');
  await mkdir(workspace);
  const config = await demoConfig(options, { kind, database: join(folder, 'alone.db') });
  return await playDemo({
    terminal,
    signal,
    windowTokens,
    config,
    workspace,
    task: DEMO_TASK,
    show: async (runtime, sessionId) => showRun(runtime, silent(terminal), { sessionId, display: 'answer' }),
  });
}

/** A terminal that shows nothing. */
function silent(terminal: Terminal): Terminal {
  const nothing = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { ...terminal, out: nothing(), err: nothing() };
}

async function showDemo(
  { terminal, json, noColor }: DemoOptions,
  runtime: Parameters<typeof showRun>[0],
  sessionId: string,
): Promise<RunDisplay> {
  const display = json ? 'events' : 'progress';
  const markdown = await loadMarkdown(terminal, { display, noColor });
  return showRun(runtime, terminal, { sessionId, display, shortSummary: true, noColor, markdown });
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

function isAsPromised({ finished, inspection, ...sizes }: Outcome, alone: Outcome | undefined): boolean {
  if (finished?.status !== 'completed' || inspection?.verified !== true) return false;
  if (alone === undefined) return finished.compactions >= LEAST_COMPACTIONS;
  return alone.inspection?.verified === true && sizes.logTokens < alone.logTokens;
}

async function cleanUp(
  folder: string,
  { isGood, keep, json }: { isGood: boolean; keep: boolean; json: boolean },
): Promise<void> {
  for (const name of ['alone', 'alone.db', 'alone.db-wal', 'alone.db-shm']) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
  if (keep || !isGood) return;
  if (json) return rm(folder, { recursive: true, force: true });
  for (const name of ['session.db', 'session.db-wal', 'session.db-shm', 'blobs']) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function report(
  { finished, overflows, inspection, logTokens, childLogTokens }: Outcome,
  options: DemoOptions & {
    alone: Outcome | undefined;
    workspace: string;
    folder: string;
    isGood: boolean;
  },
): void {
  const { terminal, json, noColor, keep, isGood, alone } = options;
  if (finished === undefined)
    throw new LonghaulError('internal', 'The demonstration ended without a result.');
  if (json) {
    const { status, stepCount: steps, compactions } = finished;
    const verified = inspection?.verified ?? false;
    const family = alone && {
      children: childLogTokens.length,
      contextTokens: logTokens,
      alone: { contextTokens: alone.logTokens, compactions: alone.finished?.compactions },
    };
    terminal.out.write(`${JSON.stringify({ status, steps, compactions, overflows, verified, ...family })}\n`);
    return;
  }
  const text = demoReport(
    {
      finished,
      overflows,
      workspace: options.workspace,
      database: keep || !isGood ? join(options.folder, 'session.db') : undefined,
      inspection,
      leastCompactions: alone === undefined ? LEAST_COMPACTIONS : 0,
      family: alone && {
        tokens: logTokens,
        children: childLogTokens,
        aloneTokens: alone.logTokens,
        aloneCompactions: alone.finished?.compactions ?? 0,
      },
    },
    { colors: wantsColors(terminal, noColor) },
  );
  terminal.out.write(text);
}

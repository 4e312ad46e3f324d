import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_CONFIG, resolveModel } from '@longhaul/config';
import type { BlobStore, CompressionSettings, Store } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { findSessionFiles, loadSession, playScriptUrl, recordedPlay } from '@longhaul/replay';
import { type ScriptedModelProcess, startScriptedModelProcess } from '@longhaul/scripted-model';
import { compressionSettings } from '../compose/compression.ts';
import { createDriver } from '../compose/create-driver.ts';
import { openStorage } from '../compose/open-storage.ts';
import { checkStored } from './check-stored.ts';
import { type PlayedSession, playSession } from './play-session.ts';
import type { AgentReplay, AgentReplayReport } from './report.ts';

export interface ThroughAgentOptions {
  /** Files and folders. */
  paths: readonly string[];
  windowTokens: number;
  /** Default: the agent's. */
  strategy?: string;
  /** Whether the scripted model is asked for narratives; else ledgers stand alone. */
  wantsNarratives: boolean;
  /** Path of a database in which the sessions stay. Absent: a temporary one. */
  database?: string;
  onFile: (progress: { done: number; total: number; path: string }) => void;
  signal: AbortSignal;
}

/**
 * Plays recorded sessions through the whole runtime: the answers come over HTTP from a scripted model that enforces its
 * window, the tools return what was recorded, and all of it is stored in SQLite and compared with the recording.
 */
export async function replayThroughAgent(options: ThroughAgentOptions): Promise<AgentReplayReport> {
  const { files, problems, leftAside } = await findSessionFiles(options.paths);
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-replay-'));
  try {
    const storage = await openStorage({ url: `sqlite:${options.database ?? join(folder, 'replay.db')}` });
    await using _store = storage.store;
    const compression = await settingsOf(options.strategy);
    const sessions: AgentReplay[] = [];
    for (const [done, { path }] of files.entries()) {
      if (options.signal.aborted) break;
      options.onFile({ done, total: files.length, path });
      sessions.push(await replaySafely(path, { ...options, storage, compression, workspace: folder }));
    }
    const unreadable = problems.map(({ path, message }) => ({ path, problem: message }));
    return { windowTokens: options.windowTokens, sessions: [...sessions, ...unreadable], leftAside };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function settingsOf(strategy: string | undefined): Promise<CompressionSettings> {
  const { compression } = DEFAULT_CONFIG.context;
  return compressionSettings(strategy === undefined ? compression : { ...compression, strategy });
}

interface FileOptions extends ThroughAgentOptions {
  storage: { store: Store; blobs: BlobStore };
  compression: CompressionSettings;
  workspace: string;
}

/** What stops one file does not stop the others. */
async function replaySafely(path: string, options: FileOptions): Promise<AgentReplay> {
  try {
    return await replayFile(path, options);
  } catch (error) {
    if (error instanceof LonghaulError) return { path, problem: error.message };
    throw error;
  }
}

async function replayFile(path: string, options: FileOptions): Promise<AgentReplay> {
  const { messages, problem } = await loadSession(path);
  if (messages === undefined) return { path, problem: problem ?? 'no session' };
  const startedAt = performance.now();
  const play = recordedPlay(messages);
  await using server = await startScriptedModelProcess({
    scriptModule: playScriptUrl(path),
    windowTokens: options.windowTokens,
    model: 'recorded',
    chunkChars: 4_096,
  });
  const { driver } = await createDriver(scriptedModel(server, options.windowTokens), {
    stallMs: DEFAULT_CONFIG.retry.stallMs,
  });
  const played = await playSession({ ...options, play, driver, title: path });
  const { messages: stored } = await options.storage.store.loadLog(played.sessionId);
  const check = await checkStored(stored, play, options.storage.blobs);
  const { overflows } = await server.stats();
  return {
    path,
    recorded: {
      messages: play.users.length + play.steps.length,
      calls: play.steps.reduce((sum, step) => sum + step.calls.length, 0),
    },
    stored: check,
    leftOut: play.leftOut,
    refusals: overflows,
    seconds: (performance.now() - startedAt) / 1_000,
    ...figuresOf(played),
  };
}

function figuresOf({ sessionId, steps, compactions, prunedOutputs, inputTokens, error }: PlayedSession) {
  const failure = error === undefined ? {} : { error: error.message };
  return { sessionId, steps, compactions, prunedOutputs, inputTokens, ...failure };
}

/** It may write as much as its window leaves: how long a recorded answer is has been decided. */
function scriptedModel({ url, model }: ScriptedModelProcess, windowTokens: number) {
  const accepts = { images: true, files: true };
  const providers = {
    replay: {
      kind: 'openai-compatible',
      baseUrl: url,
      models: { [model]: { window: windowTokens, maxOutput: windowTokens, accepts } },
    } as const,
  };
  return resolveModel({ ...DEFAULT_CONFIG, providers }, { model: `replay/${model}`, env: {} });
}

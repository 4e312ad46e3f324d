import type { SandboxKind } from '@longhaul/core';
import type { ModelClient } from './model-client.ts';

/** Settings of a process that drives a tortured session, passed as JSON in its only argument. */
export interface AgentSettings {
  /** The session's folder; see `sessionPaths`. */
  folder: string;
  sessionId: string;
  life: number;
  /** The program of the process. `family`: the session has children. Default: `agent`. */
  program?: 'agent' | 'family';
  /** URL of the scripted model server. */
  baseUrl: string;
  client: ModelClient;
  sandbox: SandboxKind;
  /** Digits that appear in the arguments of every process started by the session's commands. */
  mark: string;
}

/** Settings of a process that runs a command of the program. */
export interface CommandSettings {
  folder: string;
  /** Number of the command within its session. */
  number: number;
  args: readonly string[];
}

/** The line that the process prints when its run has ended. */
export interface AgentReport {
  status: string;
  text: string;
  error?: string;
}

/** Environment variable with the fault point at which the process kills itself: `POINT:COUNT`. */
export const FAULT_VARIABLE = 'LONGHAUL_FAULT_POINT';
/** Environment variable that makes the process stop itself with SIGSTOP at the fault point instead. */
export const FREEZE_VARIABLE = 'LONGHAUL_FAULT_FREEZES';
/** Environment variable with the milliseconds by which the uptime of the process is ahead. */
export const AHEAD_VARIABLE = 'LONGHAUL_UPTIME_AHEAD';
/** Variable of the commands with the life that runs them. */
export const LIFE_VARIABLE = 'LIFE';

/** The workspace has no secret, too large or configured files. */
export const FILES_OPTIONS = {
  key: new Uint8Array(32),
  settings: { ignore: [], secret: [], maxFileMb: 20 },
};

/** A model's server that sends nothing for this long is asked again. */
export const STALL_MS = 600;

export const MODEL = 'scripted';
/** Small, so that a session compacts every few steps. */
export const WINDOW_TOKENS = 14_336;
/** Queue id of the first message. Every life sends it; it must be stored once. */
export const TASK_ID = 'task';

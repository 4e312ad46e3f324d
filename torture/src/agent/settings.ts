import type { SandboxKind } from '@longhaul/core';

/** Settings of a process that drives a tortured session, passed as JSON in its only argument. */
export interface AgentSettings {
  /** The session's folder; see `sessionPaths`. */
  folder: string;
  sessionId: string;
  life: number;
  /** URL of the scripted model server. */
  baseUrl: string;
  sandbox: SandboxKind;
  /** Digits that appear in the arguments of every process started by the session's commands. */
  mark: string;
}

/** The line that the process prints when its run has ended. */
export interface AgentReport {
  status: string;
  text: string;
  error?: string;
}

/** Environment variable with the fault point at which the process kills itself: `POINT:COUNT`. */
export const FAULT_VARIABLE = 'LONGHAUL_FAULT_POINT';

export const MODEL = 'scripted';
/** Small, so that a session compacts every few steps. */
export const WINDOW_TOKENS = 14_336;
/** Queue id of the first message. Every life sends it; it must be stored once. */
export const TASK_ID = 'task';

import type { SandboxKind } from '@longhaul/core';

/** What a process that drives a tortured session is started with, as JSON in its one argument. */
export interface AgentSettings {
  /** The session's folder; see `sessionPaths`. */
  folder: string;
  sessionId: string;
  life: number;
  /** Of the scripted model server. */
  baseUrl: string;
  sandbox: SandboxKind;
  /** Digits that stand in the arguments of every process of the session's commands. */
  mark: string;
}

/** What it prints when its run has come to an end. */
export interface AgentReport {
  status: string;
  text: string;
  error?: string;
}

/** Names the fault point at which the process shall end itself: `POINT:COUNT`. */
export const FAULT_VARIABLE = 'LONGHAUL_FAULT_POINT';

export const MODEL = 'scripted';
/** Small, so that a session compacts every few steps. */
export const WINDOW_TOKENS = 14_336;
/** The queue's id of the first message: sent by every life, stored once. */
export const TASK_ID = 'task';

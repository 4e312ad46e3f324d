import type { Approval, EventOf, QueuedMessage, SubtaskFacts } from '@longhaul/protocol';
import type { ContextInfo, ListedMessage, SessionDetail } from '@longhaul/protocol/api';

/** What a running tool reports. */
export interface ToolProgress {
  title: string;
  /** The last lines of a command. */
  lines: readonly string[];
}

/** What the run does at the moment. */
export type Activity =
  | { kind: 'idle' | 'starting' | 'thinking' | 'writing' | 'compacting' }
  | { kind: 'retrying'; attempt: number; reason: string; nextTryAt: number };

/** A session as this page knows it. */
export interface SessionState {
  phase: 'loading' | 'ready' | 'missing' | 'failed';
  /** Why the phase is `failed`. */
  problem: string | undefined;
  detail: SessionDetail | undefined;
  /** A range without gaps, in ascending order. */
  messages: readonly ListedMessage[];
  hasEarlier: boolean;
  queue: readonly QueuedMessage[];
  /** Requests that nobody has answered. */
  approvals: readonly Approval[];
  activity: Activity;
  isRunning: boolean;
  /** How the newest run ended. Undefined while a run works, and before the first one. */
  outcome: EventOf<'run:finished'> | undefined;
  progress: ReadonlyMap<string, ToolProgress>;
  /** What events have said about child sessions, by the ids of the children. */
  children: ReadonlyMap<string, SubtaskFacts>;
  context: ContextInfo | undefined;
}

export const LOADING: SessionState = {
  phase: 'loading',
  problem: undefined,
  detail: undefined,
  messages: [],
  hasEarlier: false,
  queue: [],
  approvals: [],
  activity: { kind: 'idle' },
  isRunning: false,
  outcome: undefined,
  progress: new Map(),
  children: new Map(),
  context: undefined,
};

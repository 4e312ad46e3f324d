import type { EventOf, EventType, LonghaulEvent } from '@longhaul/protocol';
import type { SessionState, ToolProgress } from './session-state.ts';

/**
 * What the page reads of a session. `tail` are the messages that can still change and newer ones, `loaded` all that are
 * loaded, whose marks may have changed.
 */
export type Stored = 'tail' | 'loaded' | 'detail' | 'queue' | 'approvals' | 'context';

/** What an event may have changed in the store, and must be read again. */
export const CHANGED_BY: Readonly<Record<EventType, readonly Stored[]>> = {
  'run:started': ['tail', 'detail'],
  'run:waiting': ['detail'],
  'run:finished': ['tail', 'detail', 'queue', 'approvals', 'context'],
  'run:repaired': ['tail', 'approvals', 'context'],
  'session:status': [],
  // The messages that a step begins with are stored before it thinks.
  'llm:thinking': ['tail'],
  'llm:chunk': [],
  'llm:tool-call': ['tail'],
  'llm:tool-progress': [],
  'llm:tool-result': ['tail'],
  'llm:response': ['tail'],
  'llm:error': ['tail'],
  'llm:retry': [],
  'llm:switched': ['detail', 'context'],
  'llm:unsupported-input': ['loaded', 'context'],
  'context:compressed': ['loaded', 'context'],
  'context:pruned': ['loaded', 'context'],
  'context:undone': ['loaded', 'context'],
  // Each step reports it, with the results of the tools before it.
  'context:usage': ['context'],
  'context:warning': [],
  'budget:warning': [],
  'budget:exceeded': [],
  'files:changed': ['tail'],
  'subtask:started': [],
  'subtask:progress': [],
  'subtask:finished': ['tail'],
  'process:started': ['detail'],
  'process:ended': ['detail'],
  'session:reverted': ['loaded', 'detail', 'queue', 'context'],
  'session:unreverted': ['loaded', 'detail', 'queue', 'context'],
  'session:titled': ['detail'],
  'message:queued': ['queue', 'detail'],
  'queue:changed': ['queue', 'detail'],
  'message:dequeued': ['tail', 'queue', 'detail'],
  'approval:requested': ['tail', 'approvals'],
  'approval:answered': ['tail', 'approvals'],
  'trust:requested': [],
  'trust:answered': [],
};

/** What an event itself says about the run. */
export function afterEvent(state: SessionState, event: LonghaulEvent): Partial<SessionState> | undefined {
  switch (event.type) {
    case 'llm:chunk':
      return state.activity.kind === 'writing' ? undefined : { activity: { kind: 'writing' } };
    case 'llm:tool-progress':
      return { progress: withProgress(state.progress, event) };
    case 'subtask:progress':
    case 'subtask:finished':
      return { children: new Map(state.children).set(event.facts.sessionId, event.facts) };
    case 'run:started':
      return { isRunning: true, activity: { kind: 'starting' } };
    case 'run:finished':
      return { isRunning: false, activity: { kind: 'idle' }, progress: new Map() };
    case 'llm:thinking':
      return { activity: { kind: 'thinking' } };
    case 'llm:response':
    case 'llm:error':
      return { activity: { kind: 'idle' } };
    case 'session:status':
      return event.status === 'compacting' ? { activity: { kind: 'compacting' } } : undefined;
    case 'llm:retry': {
      const { attempt, reason, nextTryAt = event.at + event.delayMs } = event;
      return { activity: { kind: 'retrying', attempt, reason, nextTryAt } };
    }
    default:
      return undefined;
  }
}

function withProgress(
  progress: SessionState['progress'],
  { callId, title = '', metadata }: EventOf<'llm:tool-progress'>,
): ReadonlyMap<string, ToolProgress> {
  const lines = metadata?.['lines'];
  const shown = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  return new Map(progress).set(callId, { title, lines: shown });
}

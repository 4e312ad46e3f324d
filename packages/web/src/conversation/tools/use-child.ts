import { type SubtaskFacts, type SubtaskState, subtaskOf, type ToolPart } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { useCallback } from 'react';
import { useServer } from '../../data/server.ts';
import { useRead } from '../../data/use-read.ts';
import { useSessionState } from '../../data/use-session.ts';

/**
 * What is known about the child session of a call. The part of a call in the background says only how the child began:
 * until an event reports more, its session is read.
 */
export function useChild(part: ToolPart): SubtaskFacts | undefined {
  const { client } = useServer();
  const stored = subtaskOf(part);
  const id = stored?.sessionId ?? '';
  const live = useSessionState((state) => state.children.get(id));
  const isUnknown = live === undefined && stored?.isBackground === true;
  const { value } = useRead(
    useCallback(
      async (signal: AbortSignal) =>
        isUnknown ? await client.sessions.get(id, { figures: 'true', signal }) : undefined,
      [client, id, isUnknown],
    ),
  );
  if (stored === undefined || isUnknown) return stored && { ...stored, ...factsOf(value) };
  // A stored end is newer than any event.
  return part.state === 'running' || stored.isBackground === true ? (live ?? stored) : stored;
}

const STATES: Partial<Record<SessionInfo['state'], SubtaskState>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  interrupted: 'interrupted',
};

function factsOf(session: SessionInfo | undefined): Partial<SubtaskFacts> {
  if (session === undefined) return {};
  const { state, figures } = session;
  return {
    state: STATES[state] ?? 'running',
    ...(figures !== undefined && { steps: figures.steps, tokens: figures.usage.totalTokens }),
  };
}

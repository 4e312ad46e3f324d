import type { SessionState } from '@longhaul/protocol/api';
import { useEffect } from 'react';
import { useSessionListState } from '../sessions/use-session-list.ts';

interface Shown {
  name: string;
  state?: SessionState | undefined;
}

const SIGNS: Partial<Record<SessionState, string>> = { running: '●', failed: '✗', interrupted: '!' };

/** Such as `(2) ● Fix the parser · Longhaul`: two approvals wait, and the session runs. */
export function documentTitle({ name, state }: Shown, openApprovals: number): string {
  const sign = state === undefined ? undefined : SIGNS[state];
  const count = openApprovals > 0 ? `(${openApprovals})` : '';
  return `${[count, sign, name].filter(Boolean).join(' ')} · Longhaul`;
}

/** Keeps the title of the tab current, with the open approvals of all sessions. */
export function useDocumentTitle({ name, state }: Shown): void {
  const openApprovals = useOpenApprovals();
  useEffect(() => {
    document.title = documentTitle({ name, state }, openApprovals);
  }, [name, state, openApprovals]);
}

/** The number of calls that wait for an answer, in the loaded sessions. */
function useOpenApprovals(): number {
  return useSessionListState(({ sessions }) =>
    sessions.reduce((sum, session) => sum + (session.figures?.openApprovals ?? 0), 0),
  );
}

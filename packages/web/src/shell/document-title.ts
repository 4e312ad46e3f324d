import { showDirections } from '@longhaul/protocol';
import type { SessionState } from '@longhaul/protocol/api';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { useServer } from '../data/server.ts';

interface Shown {
  name: string;
  state?: SessionState | undefined;
}

const SIGNS: Partial<Record<SessionState, string>> = { running: '●', failed: '✗', interrupted: '!' };

/** Such as `(2) ● Fix the parser · Longhaul`: two approvals wait, and the session runs. */
export function documentTitle({ name, state }: Shown, openApprovals: number): string {
  const sign = state === undefined ? undefined : SIGNS[state];
  const count = openApprovals > 0 ? `(${openApprovals})` : '';
  return `${[count, sign, showDirections(name)].filter(Boolean).join(' ')} · Longhaul`;
}

/** Keeps the title of the tab current, with the open approvals of all sessions. */
export function useDocumentTitle({ name, state }: Shown): void {
  const openApprovals = useStore(useServer().inbox.store, ({ approvals }) => approvals.length);
  useEffect(() => {
    document.title = documentTitle({ name, state }, openApprovals);
  }, [name, state, openApprovals]);
}

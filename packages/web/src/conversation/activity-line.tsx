import { useEffect, useState } from 'react';
import type { Activity } from '../data/session-state.ts';
import { useSessionState } from '../data/use-session.ts';

/** What the run does at the moment, with the time until the next try. */
export function ActivityLine() {
  const isRunning = useSessionState((state) => state.isRunning);
  const activity = useSessionState((state) => state.activity);
  const isAsking = useSessionState((state) => state.approvals.length > 0);
  const position = useSessionState(({ detail }) =>
    detail?.state === 'waiting' ? detail.waiting?.position : undefined,
  );
  if (!isRunning && position !== undefined)
    return (
      <p className="activity-line quiet" role="status">
        Waits for other runs of this server to end. Position {position}.
      </p>
    );
  if (!isRunning) return null;
  return (
    <p className="activity-line quiet" role="status">
      <ActivityWords activity={activity} isAsking={isAsking} />
    </p>
  );
}

function ActivityWords({ activity, isAsking }: { activity: Activity; isAsking: boolean }) {
  if (isAsking) return 'Waiting for your approval…';
  return activity.kind === 'retrying' ? <RetryCountdown {...activity} /> : WORDS[activity.kind];
}

const WORDS = {
  idle: 'Working…',
  starting: 'Starting…',
  thinking: 'Thinking…',
  writing: 'Writing…',
  compacting: 'Compacting the context…',
} as const;

function RetryCountdown({
  attempt,
  reason,
  nextTryAt,
}: {
  attempt: number;
  reason: string;
  nextTryAt: number;
}) {
  const seconds = useSecondsUntil(nextTryAt);
  return (
    <>
      Attempt {attempt} failed: {reason}. Next try in <span aria-live="off">{seconds} s</span>.
    </>
  );
}

function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((time - now) / 1_000));
}

import type { SessionInfo, SessionState } from '@longhaul/protocol/api';

const MARKS: Record<SessionState, { sign: string; word: string; tone: string }> = {
  active: { sign: '○', word: 'open', tone: 'quiet' },
  completed: { sign: '✓', word: 'done', tone: 'good' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
  cancelled: { sign: '■', word: 'stopped', tone: 'quiet' },
  running: { sign: '●', word: 'running', tone: 'running' },
  waiting: { sign: '◷', word: 'waiting', tone: 'quiet' },
  interrupted: { sign: '!', word: 'interrupted', tone: 'warn' },
};

/** A sign and a word: colour is not the only carrier. */
export function SessionStateMark({ session }: { session: Pick<SessionInfo, 'state' | 'waiting'> }) {
  const { sign, word, tone } = MARKS[session.state];
  return (
    <span className={`state-mark ${tone}`}>
      <span aria-hidden>{sign}</span> {word}
      {session.state === 'waiting' && session.waiting && `, position ${session.waiting.position}`}
    </span>
  );
}

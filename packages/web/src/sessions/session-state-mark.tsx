import type { SessionState } from '@longhaul/protocol/api';

const MARKS: Record<SessionState, { sign: string; word: string; tone: string }> = {
  active: { sign: '○', word: 'open', tone: 'quiet' },
  completed: { sign: '✓', word: 'done', tone: 'good' },
  failed: { sign: '✗', word: 'failed', tone: 'bad' },
  cancelled: { sign: '■', word: 'stopped', tone: 'quiet' },
  running: { sign: '●', word: 'running', tone: 'running' },
  interrupted: { sign: '!', word: 'interrupted', tone: 'warn' },
};

/** A sign and a word: colour is not the only carrier. */
export function SessionStateMark({ state }: { state: SessionState }) {
  const { sign, word, tone } = MARKS[state];
  return (
    <span className={`state-mark ${tone}`}>
      <span aria-hidden>{sign}</span> {word}
    </span>
  );
}

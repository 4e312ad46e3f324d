import './tools.css';
import type { ToolPart } from '@longhaul/protocol';
import { ChevronRight } from 'lucide-react';
import { useSessionState } from '../../data/use-session.ts';
import { FailureGuard } from '../../ui/failure-guard.tsx';
import { formatDuration } from '../../ui/format.ts';
import { useRememberedOpen } from '../../ui/use-remembered-open.ts';
import { ArgumentsView } from './arguments-view.tsx';
import { ToolBody } from './tool-body.tsx';
import { commandOf, pathOf, textField, toolKind } from './tool-kind.ts';

/** A tool call and its result: one line, and what it did when it is open. */
export function ToolView({ part }: { part: ToolPart }) {
  const progress = useSessionState((state) => state.progress.get(part.callId));
  const isWaiting = useSessionState((state) => state.approvals.some(({ callId }) => callId === part.callId));
  const isActive = part.state === 'running' || part.state === 'pending';
  const isProposed = isActive || part.state === 'error' || toolKind(part.name) === 'edit';
  const [isOpen, onToggle] = useRememberedOpen(part.callId, isProposed);
  const { sign, word, tone } = isWaiting && isActive ? WAITING : STATES[part.state];
  const took = durationOf(part);
  return (
    <details className="tool" open={isOpen} onToggle={onToggle}>
      <summary>
        <ChevronRight aria-hidden size={14} className="fold-mark" />
        <span className={`tool-state ${tone}`}>
          <span aria-hidden>{sign}</span> <span className={SILENT.has(word) ? 'only-read' : ''}>{word}</span>
        </span>
        <span className="tool-name">{part.name}</span>
        <span className="tool-title quiet">{part.title ?? progress?.title ?? titleOf(part)}</span>
        {took !== undefined && <span className="tool-time quiet">{took}</span>}
      </summary>
      {isOpen && (
        <FailureGuard fallback={<ArgumentsView value={part as unknown as ToolPart['input']} />}>
          <ToolBody part={part} />
        </FailureGuard>
      )}
    </details>
  );
}

const STATES: Record<ToolPart['state'], { sign: string; word: string; tone: string }> = {
  pending: { sign: '○', word: 'not started', tone: 'quiet' },
  running: { sign: '●', word: 'running', tone: 'running' },
  completed: { sign: '✓', word: 'done', tone: 'good' },
  error: { sign: '✗', word: 'failed', tone: 'bad' },
  interrupted: { sign: '!', word: 'interrupted', tone: 'warn' },
};
const WAITING = { sign: '?', word: 'waits for approval', tone: 'warn' };
/** States whose sign is enough for the eye. */
const SILENT = new Set(['done', 'running']);
const LEAST_SHOWN_MS = 1_000;

function titleOf(part: ToolPart): string {
  const text =
    toolKind(part.name) === 'command'
      ? commandOf(part).split('\n')[0]
      : (pathOf(part) ?? textField(part.input, 'pattern', 'query', 'handle', 'prompt'));
  return (text ?? part.inputText ?? JSON.stringify(part.input) ?? '').slice(0, 200);
}

function durationOf({ startedAt, endedAt }: ToolPart): string | undefined {
  if (startedAt === undefined || endedAt === undefined || endedAt - startedAt < LEAST_SHOWN_MS)
    return undefined;
  return formatDuration(endedAt - startedAt);
}

import type { ToolPart } from '@longhaul/protocol';
import { ChevronRight } from 'lucide-react';
import { useSessionState } from '../data/use-session.ts';
import { toolDetails } from './tools/tool-details.tsx';

/** A tool call and its result. */
export function ToolView({ part }: { part: ToolPart }) {
  const progress = useSessionState((state) => state.progress.get(part.callId));
  const { sign, word, tone } = STATES[part.state];
  return (
    <details className="tool" open={part.state === 'running' || part.state === 'error'}>
      <summary>
        <ChevronRight aria-hidden size={14} className="fold-mark" />
        <span className={`tool-state ${tone}`}>
          <span aria-hidden>{sign}</span> <span className="only-read">{word}</span>
        </span>
        <span className="tool-name">{part.name}</span>
        <span className="tool-title quiet">{part.title ?? progress?.title ?? shortInput(part)}</span>
      </summary>
      {part.state === 'running' && progress !== undefined && progress.lines.length > 0 && (
        <pre className="tool-output">{progress.lines.join('\n')}</pre>
      )}
      {toolDetails(part)}
    </details>
  );
}

const STATES: Record<ToolPart['state'], { sign: string; word: string; tone: string }> = {
  pending: { sign: '○', word: 'waiting', tone: 'quiet' },
  running: { sign: '●', word: 'running', tone: 'running' },
  completed: { sign: '✓', word: 'done', tone: 'good' },
  error: { sign: '✗', word: 'failed', tone: 'bad' },
  interrupted: { sign: '!', word: 'interrupted, the outcome is unknown', tone: 'warn' },
};

function shortInput({ input, inputText }: ToolPart): string {
  return (inputText ?? JSON.stringify(input)).slice(0, 200);
}

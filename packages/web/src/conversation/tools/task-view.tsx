import type { ToolPart } from '@longhaul/protocol';
import { formatRoute } from '../../shell/route.ts';
import { formatTokens, plural } from '../../ui/format.ts';
import { ArgumentsView } from './arguments-view.tsx';
import { OutputParts } from './output-parts.tsx';
import { textField } from './tool-kind.ts';
import { useChild } from './use-child.ts';

/** A call that has started a child session: what the child does, its task and its answer. */
export function TaskView({ part }: { part: ToolPart }) {
  const child = useChild(part);
  const prompt = textField(part.input, 'prompt');
  return (
    <>
      {child !== undefined && (
        <p className="tool-note child-card">
          <strong>{child.agent}</strong> <span role="status">{WORDS[child.state]}</span>
          {child.state === 'running' && child.title !== undefined && <span> · {child.title}</span>}
          <span className="quiet">
            {' · '}
            {plural(child.steps ?? 0, 'step')} · {formatTokens(child.tokens ?? 0)} tokens
            {child.contextPercent !== undefined && ` · ${child.contextPercent} % of its window`}
            {child.isBackground === true && ' · in the background'}
          </span>{' '}
          <a href={formatRoute({ page: 'session', sessionId: child.sessionId })}>Open its conversation</a>
        </p>
      )}
      {prompt === undefined ? (
        <ArgumentsView value={part.input} text={part.inputText} />
      ) : (
        <p className="tool-note child-prompt">{prompt}</p>
      )}
      <OutputParts part={part} />
    </>
  );
}

const WORDS = {
  waiting: 'waits until fewer children run',
  running: 'is at work',
  completed: 'has completed the task',
  failed: 'has failed',
  limit: 'has stopped at a limit',
  cancelled: 'was cancelled',
  interrupted: 'was interrupted: the next run continues it',
} as const;

import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { formatDuration } from '../ui/format.ts';

/** Shorter times say nothing: the pieces of an answer can arrive together. */
const SHORT_MS = 500;

interface ReasoningProps {
  text: string;
  isRunning: boolean;
  /** Undefined if the page did not see how long it took. */
  durationMs: number | undefined;
}

/** The reasoning of the model, folded. Its text is in the document only while it is open. */
export function Reasoning({ text, isRunning, durationMs }: ReasoningProps) {
  const [isOpen, setOpen] = useState(false);
  if (text.trim() === '') return null;
  const took = durationMs === undefined || durationMs < SHORT_MS ? '' : ` for ${formatDuration(durationMs)}`;
  return (
    <details className="reasoning" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="quiet">
        <ChevronRight aria-hidden size={14} className="fold-mark" />{' '}
        {isRunning ? 'Reasoning…' : `Reasoning${took}`}
      </summary>
      {isOpen && <p className="reasoning-text">{text}</p>}
    </details>
  );
}

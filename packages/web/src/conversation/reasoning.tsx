import { ChevronRight } from 'lucide-react';

/** The reasoning of the model, folded. */
export function Reasoning({ text, isRunning }: { text: string; isRunning: boolean }) {
  if (text.trim() === '') return null;
  return (
    <details className="reasoning">
      <summary className="quiet">
        <ChevronRight aria-hidden size={14} className="fold-mark" /> {isRunning ? 'Reasoning…' : 'Reasoning'}
      </summary>
      <p className="reasoning-text">{text}</p>
    </details>
  );
}

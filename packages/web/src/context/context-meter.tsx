import './context-meter.css';
import { useSessionState } from '../data/use-session.ts';
import { formatTokens } from '../ui/format.ts';
import { fillPercent } from './fill-percent.ts';

/** How full the window is, and how much is left until the next compaction. Opens the context panel. */
export function ContextMeter({ onOpen }: { onOpen: () => void }) {
  const context = useSessionState((state) => state.context);
  if (context === undefined) return null;
  const { tokens, window } = context;
  const percent = fillPercent(tokens, window.usableTokens);
  if (percent === undefined) return null;
  const left = window.triggerTokens === undefined ? undefined : Math.max(0, window.triggerTokens - tokens);
  const words = `Context ${percent} % full${left === undefined ? '' : `, ${formatTokens(left)} tokens until compaction`}`;
  return (
    <button
      type="button"
      className="context-meter"
      aria-label={`${words}. Show the context`}
      title={words}
      onClick={onOpen}
    >
      <meter min={0} max={100} value={Math.min(100, percent)} aria-hidden tabIndex={-1} />
      <span>{percent} %</span>
    </button>
  );
}

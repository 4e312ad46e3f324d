import { useId } from 'react';
import type { Turn } from './turns.ts';

/** Chooses the turn whose changes are shown. */
export function TurnChoice({
  turns,
  chosen,
  onChoose,
}: {
  turns: readonly Turn[];
  chosen: string | undefined;
  onChoose: (handle: string | undefined) => void;
}) {
  const id = useId();
  return (
    <div className="turn-choice">
      <label htmlFor={id}>Changes of</label>
      <select id={id} value={chosen ?? ''} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">the whole session</option>
        {turns.map(({ handle, text, isReverted }) => (
          <option key={handle} value={handle}>
            {handle}
            {isReverted && ' (reverted)'}: {text}
          </option>
        ))}
      </select>
    </div>
  );
}

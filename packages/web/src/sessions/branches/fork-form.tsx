import { type FormEvent, useId, useState } from 'react';
import { useSession, useSessionState } from '../../data/use-session.ts';
import { useRoute } from '../../shell/route.ts';
import { useSessionActions } from '../session-actions.ts';

/** Copies the session into a new one, as it is now or as it was after a message. */
export function ForkForm() {
  const session = useSession();
  const detail = useSessionState((state) => state.detail);
  const route = useRoute();
  const actions = useSessionActions();
  const linked = route.page === 'session' ? route.message : undefined;
  const [typed, setTyped] = useState<string>();
  const at = typed ?? linked ?? '';
  const id = useId();
  const hintId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const named = detail ?? { id: session.id, title: '', task: '' };
    void actions.fork(named, at.trim() === '' ? undefined : handleOf(at));
  };
  return (
    <form className="fork-form" onSubmit={submit}>
      <label htmlFor={id}>Fork after the message</label>
      <input
        id={id}
        value={at}
        size={8}
        maxLength={20}
        placeholder="newest"
        pattern="\s*m?\d+\s*"
        aria-describedby={hintId}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="submit" className="button">
        Fork
      </button>
      <small id={hintId} className="quiet">
        A handle such as m12. A link to a message fills it in.
      </small>
    </form>
  );
}

/** `12` means `m12`. */
function handleOf(typed: string): string {
  const trimmed = typed.trim();
  return /^\d/.test(trimmed) ? `m${trimmed}` : trimmed;
}

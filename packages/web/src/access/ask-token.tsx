import { type FormEvent, useId } from 'react';

/** Asks for the token of the server. */
export function AskToken({
  problem,
  command,
  onToken,
}: {
  problem: string | undefined;
  command: string;
  onToken: (token: string) => void;
}) {
  const hintId = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    if (token !== '') onToken(token);
  };
  return (
    <form className="ask-token" onSubmit={submit}>
      <label>
        Token of this server
        <input
          name="token"
          type="password"
          required
          autoComplete="current-password"
          aria-describedby={hintId}
        />
      </label>
      <p id={hintId} className="quiet">
        <code>{command}</code> prints where the token is kept. <code>{command} --open</code> opens this page
        without asking.
      </p>
      {problem !== undefined && (
        <p role="alert" className="bad">
          {problem}
        </p>
      )}
      <button type="submit" className="button primary">
        Continue
      </button>
    </form>
  );
}

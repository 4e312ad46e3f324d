import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { AskToken } from './ask-token.tsx';
import { checkAccess, exchangeCode } from './check-access.ts';
import { forgetToken, storedToken, storeToken, takeCode } from './token.ts';

type Access =
  | { state: 'checking' }
  | { state: 'open'; token: string | undefined }
  | { state: 'asking'; problem?: string }
  | { state: 'unreachable' };

/** Shows the page once the server accepts the token of this tab, and asks for the token before. */
export function AccessGate({ children }: { children: (token: string | undefined) => ReactNode }) {
  const [access, setAccess] = useState<Access>({ state: 'checking' });

  const enter = useCallback(async (token: string | undefined, problem: string | undefined) => {
    setAccess({ state: 'checking' });
    const answer = await checkAccess(token);
    if (answer === 'unreachable') {
      setAccess({ state: 'unreachable' });
    } else if (answer === 'refused') {
      forgetToken();
      setAccess({ state: 'asking', ...(problem !== undefined && { problem }) });
    } else {
      if (token !== undefined) storeToken(token);
      setAccess({ state: 'open', token });
    }
  }, []);

  useEffect(() => {
    void start(enter);
  }, [enter]);

  if (access.state === 'open') return children(access.token);
  if (access.state === 'checking')
    return (
      <p className="centered" role="status">
        Connecting…
      </p>
    );
  if (access.state === 'unreachable')
    return (
      <div className="centered" role="alert">
        <p>
          The server does not answer. Start it with <code>longhaul serve</code>.
        </p>
        <button type="button" className="button primary" onClick={() => void enter(storedToken(), undefined)}>
          Try again
        </button>
      </div>
    );
  return (
    <AskToken
      problem={access.problem}
      onToken={(token) => void enter(token, 'The server does not accept this token.')}
    />
  );
}

let starting: Promise<string | undefined> | undefined;

/** The code of the address counts once, even if the effect runs twice. */
async function start(enter: (token: string | undefined, problem: string | undefined) => Promise<void>) {
  const code = takeCode();
  if (code !== undefined) starting = exchangeCode(code);
  const exchanged = await starting;
  const problem = starting !== undefined && exchanged === undefined ? EXPIRED : undefined;
  await enter(exchanged ?? storedToken(), problem);
}

const EXPIRED = 'The link has expired or was used before.';

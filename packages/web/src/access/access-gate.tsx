import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect } from 'react';
import { useStore } from 'zustand';
import type { Access, AccessState } from './access.ts';
import { AskToken } from './ask-token.tsx';

/**
 * Shows the page once the server gives access. If the access ends later, the question appears over the page, so that
 * nothing that was typed is lost.
 */
export function AccessGate({ access, children }: { access: Access; children: ReactNode }) {
  const { wasOpen, ...state } = useStore(access.store);
  useEffect(() => {
    void access.start();
  }, [access]);
  if (wasOpen)
    return (
      <>
        {children}
        <QuestionOver access={access} isOpen={state.phase !== 'open'} state={state} />
      </>
    );
  if (state.phase === 'asking')
    return (
      <main className="centered">
        <div className="card">
          <h1>Longhaul</h1>
          <AskToken
            problem={state.problem}
            command={access.place.command}
            onToken={(token) => void access.signIn(token)}
          />
        </div>
      </main>
    );
  return (
    <main className="centered">
      <Waiting access={access} phase={state.phase} />
    </main>
  );
}

/** Nothing but a token closes it. */
function QuestionOver({
  access,
  isOpen,
  state: { phase, problem },
}: {
  access: Access;
  isOpen: boolean;
  state: Omit<AccessState, 'wasOpen'>;
}) {
  return (
    <Dialog.Root open={isOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="modal-backdrop" />
        <Dialog.Popup className="modal">
          <Dialog.Title className="modal-title">Access to this server</Dialog.Title>
          {phase === 'asking' ? (
            <AskToken
              problem={problem}
              command={access.place.command}
              onToken={(token) => void access.signIn(token)}
            />
          ) : (
            <Waiting access={access} phase={phase} />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Waiting({ access, phase }: { access: Access; phase: AccessState['phase'] }) {
  if (phase !== 'unreachable') return <p role="status">Connecting…</p>;
  return (
    <div role="alert">
      <p>
        The server does not answer. Start it with <code>{access.place.command}</code>.
      </p>
      <button type="button" className="button primary" onClick={() => void access.retry()}>
        Try again
      </button>
    </div>
  );
}

import './files.css';
import { useState } from 'react';
import { useServer } from '../data/server.ts';
import { useLoaded } from '../data/use-loaded.ts';
import { useSession, useSessionState } from '../data/use-session.ts';
import { plural } from '../ui/format.ts';
import { LoadedView } from '../ui/loaded-view.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { RecordedFiles } from './recorded-files.tsx';
import { RevertDialog } from './revert-dialog.tsx';
import { TurnChoice } from './turn-choice.tsx';
import { turnOfMessage, turnsOf } from './turns.ts';
import { UnrevertButton } from './unrevert-button.tsx';

/**
 * The files that the session, or one turn of it, has changed.
 *
 * @param message Handle of a message, whose turn is shown first.
 */
export function FilesPanel({ message }: { message: string | undefined }) {
  const { client } = useServer();
  const session = useSession();
  const messages = useSessionState((state) => state.messages);
  const [chosen, choose] = useState<{ turn: string | undefined }>();
  const [isReverting, setReverting] = useState(false);
  const [isBrowsing, setBrowsing] = useState(false);
  const turns = turnsOf(messages);
  const target = chosen === undefined ? turnOfMessage(turns, message)?.handle : chosen.turn;
  const key = `${target ?? ''} ${patchCount(messages)} ${turns.length}`;
  const loaded = useLoaded(key, (signal) =>
    client.diff(session.id, target === undefined ? {} : { target }, { signal }),
  );
  return (
    <>
      <h2>Changed files</h2>
      <TurnChoice turns={turns} chosen={target} onChoose={(turn) => choose({ turn })} />
      <LoadedView loaded={loaded}>
        {({ files, more = 0, diff, truncated }) => (
          <>
            <p className="quiet">
              {files.length === 0
                ? 'No recorded changes.'
                : `${plural(files.length + more, 'file')} changed.`}
            </p>
            <ChangedFiles files={files} diff={diff} />
            {more > 0 && <p className="quiet">{plural(more, 'further file')} not shown.</p>}
            {truncated && (
              <p className="quiet">
                The diff is longer. The command <code>longhaul diff</code> shows all of it.
              </p>
            )}
          </>
        )}
      </LoadedView>
      <div className="files-actions">
        <button
          type="button"
          className="button"
          disabled={target === undefined}
          onClick={() => setReverting(true)}
        >
          Revert to before this turn…
        </button>
        <UnrevertButton />
        <button type="button" className="button" onClick={() => setBrowsing(true)}>
          Browse the recorded files…
        </button>
      </div>
      {target === undefined && <p className="quiet">Choose a turn to restore the state before it.</p>}
      {isBrowsing && (
        <RecordedFiles
          session={session}
          at={turns.find(({ handle }) => handle === target)?.last}
          onClose={() => setBrowsing(false)}
        />
      )}
      {isReverting && target !== undefined && (
        <RevertDialog session={session} target={target} onClose={() => setReverting(false)} />
      )}
    </>
  );
}

/** Changes when files were recorded. */
function patchCount(messages: readonly { parts: readonly { type: string }[] }[]): number {
  return messages.reduce((sum, { parts }) => sum + parts.filter(({ type }) => type === 'patch').length, 0);
}

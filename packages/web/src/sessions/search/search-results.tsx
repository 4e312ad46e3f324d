import { formatRoute } from '../../shell/route.ts';
import { plural } from '../../ui/format.ts';
import { SessionLine } from '../session-line.tsx';
import { sessionName } from '../session-names.ts';
import { useSessionListState } from '../use-session-list.ts';
import { foundWords } from './found-words.ts';
import type { SearchHit, SearchState, SessionSearch } from './session-search.ts';

/** What a search has found, in place of the list. */
export function SearchResults({
  state,
  search,
  shown,
}: {
  state: SearchState;
  search: SessionSearch;
  shown: string | undefined;
}) {
  return (
    <div className="sidebar-scroll">
      <p className="quiet search-status" role="status">
        {statusOf(state)}
      </p>
      {state.phase === 'failed' && (
        <button type="button" className="button small" onClick={() => search.again()}>
          Search again
        </button>
      )}
      {state.phase === 'found' && state.sessions.length > 0 && (
        <ul className="search-hits" aria-label="Sessions with these words in the title">
          {state.sessions.map((session) => (
            <li key={session.id}>
              <SessionLine session={session} isShown={session.id === shown} />
            </li>
          ))}
        </ul>
      )}
      {state.phase === 'found' && state.hits.length > 0 && (
        <ul className="search-hits" aria-label="Messages with these words">
          {state.hits.map((hit) => (
            <li key={`${hit.messageId} ${hit.partIndex}`}>
              <Hit hit={hit} query={state.query} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Hit({ hit, query }: { hit: SearchHit; query: string }) {
  const { sessionId, parentId, handle, sequence, snippet, title, summary } = hit;
  const known = useSessionListState(({ sessions }) => sessions.find(({ id }) => id === sessionId));
  const parent = useSessionListState(({ sessions }) => sessions.find(({ id }) => id === parentId));
  return (
    <a
      className="session-line-link search-hit"
      href={formatRoute({ page: 'session', sessionId, message: `m${sequence}` })}
      title={summary}
    >
      <span className="session-line-title">
        {sessionName({ title: title ?? known?.title, task: known?.task })}{' '}
        <span className="quiet">
          {handle}
          {parentId !== undefined &&
            ` · child of ${parent === undefined ? 'another session' : sessionName(parent)}`}
        </span>
      </span>
      <span className="search-snippet quiet">
        {foundWords(snippet, query).map(({ text, isFound }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text do not move
          isFound ? <mark key={index}>{text}</mark> : text,
        )}
      </span>
    </a>
  );
}

function statusOf(state: SearchState): string {
  if (state.phase === 'idle') return '';
  if (state.phase === 'searching') return 'Searching…';
  if (state.phase === 'failed') return `The search failed: ${state.problem}`;
  const { hits, sessions, isCut } = state;
  if (hits.length + sessions.length === 0) return 'Nothing found. All words must occur in one message.';
  const found = [
    sessions.length > 0 ? plural(sessions.length, 'session') : '',
    hits.length > 0 ? plural(hits.length, 'message') : '',
  ];
  return `${found.filter((words) => words !== '').join(' and ')} found${isCut ? '; more words find fewer' : ''}.`;
}

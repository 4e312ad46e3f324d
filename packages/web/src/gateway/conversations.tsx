import type { PageCompaction, PageConversation } from '@longhaul/protocol/gateway-page';
import { useState } from 'react';
import { fillPercent } from '../context/fill-percent.ts';
import { formatCount, formatTime, plural } from '../ui/format.ts';
import { CompactionDialog } from './compaction-dialog.tsx';
import type { GatewayServer } from './gateway-server.ts';
import { Section } from './section.tsx';

/** The newest conversations, each with a meter and its compactions. */
export function Conversations({
  conversations,
  server,
}: {
  conversations: readonly PageConversation[];
  server: GatewayServer;
}) {
  const [opened, setOpened] = useState<PageCompaction>();
  return (
    <Section title="Conversations">
      {conversations.length === 0 ? (
        <p className="quiet">No conversation yet. They appear here as soon as a client sends a message.</p>
      ) : (
        <ul className="cards">
          {conversations.map((conversation) => (
            <li key={conversation.id} className="card">
              <Conversation conversation={conversation} onOpen={setOpened} />
            </li>
          ))}
        </ul>
      )}
      {opened !== undefined && (
        <CompactionDialog compaction={opened} server={server} onClose={() => setOpened(undefined)} />
      )}
    </Section>
  );
}

function Conversation({
  conversation,
  onOpen,
}: {
  conversation: PageConversation;
  onOpen: (compaction: PageCompaction) => void;
}) {
  const { title, chat, upstream, model, at, messages, requests, compactions } = conversation;
  return (
    <>
      <h3 className="one-line" title={title}>
        {title === '' ? 'Without text' : title}
      </h3>
      <p className="quiet">
        <span>{model === '' ? '(no model named)' : model}</span> · <span>{upstream}</span> ·{' '}
        <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time> · {plural(messages, 'message')} in{' '}
        {plural(requests, 'request')}
        {chat !== null && (
          <>
            {' '}
            · chat <span>{chat}</span>
          </>
        )}
      </p>
      <Meter conversation={conversation} />
      {compactions.length > 0 && (
        <ul className="compactions" aria-label="Compactions">
          {compactions.map((compaction) => (
            <li key={compaction.id}>
              <button type="button" className="button small" onClick={() => onOpen(compaction)}>
                Compaction {compaction.round}: {formatCount(compaction.before)} →{' '}
                {formatCount(compaction.after)} tokens
              </button>{' '}
              <span className="quiet">
                {formatTime(compaction.at)}, kept {plural(compaction.kept, 'message')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Meter({ conversation: { tokens, windowTokens } }: { conversation: PageConversation }) {
  const percent = fillPercent(tokens, windowTokens ?? undefined);
  if (percent === undefined || windowTokens === null)
    return (
      <p>
        {plural(tokens, 'token')}, <span className="warn">window unknown</span>
      </p>
    );
  return (
    <p className="meter-line">
      <meter
        min={0}
        max={100}
        low={70}
        high={90}
        optimum={0}
        value={Math.min(100, percent)}
        aria-label="How full the window is"
      />
      <span>
        {percent} % · {formatCount(tokens)} of {formatCount(windowTokens)} tokens
      </span>
    </p>
  );
}

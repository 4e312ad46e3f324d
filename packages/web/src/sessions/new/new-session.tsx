import { useState } from 'react';
import { Composer } from '../../composer/composer.tsx';
import { useServer } from '../../data/server.ts';
import { goTo } from '../../shell/route.ts';
import { useSessionList } from '../use-session-list.ts';
import { FirstMessage, type SessionChoice } from './first-message.ts';
import { SessionChoices } from './session-choices.tsx';

const DEFAULTS: SessionChoice = { workspace: '', agent: '', model: '' };

/** The first message of a new session, and where and with what it works. */
export function NewSession() {
  const { client } = useServer();
  const list = useSessionList();
  const [first] = useState(() => new FirstMessage(client));
  const [choice, setChoice] = useState(DEFAULTS);
  return (
    <div className="new-session page-body">
      <Composer
        placeholder="What should the agent do?"
        onSend={async (content) => {
          const session = await first.send(content, choice);
          list.refresh();
          goTo({ page: 'session', sessionId: session.id });
        }}
      />
      <SessionChoices choice={choice} onChange={setChoice} />
    </div>
  );
}

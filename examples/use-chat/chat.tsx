import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useState } from 'react';
import { Message } from './message.tsx';
import type { ChatData, ChatMessage } from './types.ts';

/** The run continues when the page is closed. A page that is opened later resumes the answer. */
const transport = new DefaultChatTransport<ChatMessage>({ body: { onDisconnect: 'continue' } });

export function Chat({ id, messages: earlier }: { id: string; messages: ChatMessage[] }) {
  const [context, setContext] = useState<ChatData['context']>();
  const chat = useChat<ChatMessage>({
    id,
    transport,
    messages: earlier,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onData: (part) => {
      if (part.type === 'data-context') setContext(part.data);
    },
  });
  const { messages, status, error } = chat;
  const isBusy = status === 'submitted' || status === 'streaming';

  return (
    <main>
      <header>
        <h1>Longhaul</h1>
        <Window context={context} />
      </header>
      <ol>
        {messages.map((message) => (
          <Message key={message.id} message={message} answer={chat.addToolApprovalResponse} />
        ))}
        {status === 'submitted' && <li className="notice">Waiting for the agent…</li>}
        {error !== undefined && (
          <li className="error" role="alert">
            {error.message}
          </li>
        )}
      </ol>
      <Composer
        isBusy={isBusy}
        onSend={(text) => void chat.sendMessage({ text })}
        onStop={() => void cancelRun(messages)}
      />
    </main>
  );
}

function Composer(props: { isBusy: boolean; onSend: (text: string) => void; onStop: () => void }) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.onSend(text);
        setText('');
      }}
    >
      <input
        aria-label="Message"
        placeholder="Describe a task"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {props.isBusy ? (
        <button type="button" onClick={props.onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="main">
          Send
        </button>
      )}
    </form>
  );
}

function Window({ context }: { context: ChatData['context'] | undefined }) {
  if (context === undefined) return null;
  const { tokens, usableTokens } = context;
  const thousands = (count: number) => `${(count / 1_000).toFixed(1)}k`;
  return (
    <span className="window">
      <meter value={tokens} max={usableTokens} high={usableTokens * 0.8} aria-label="Context window" />{' '}
      {thousands(tokens)} of {thousands(usableTokens)} tokens
    </span>
  );
}

/** Cancels the run itself, not only this page's stream. The stream then ends too. */
async function cancelRun(messages: readonly ChatMessage[]): Promise<void> {
  const sessionId = messages.at(-1)?.metadata?.sessionId;
  if (sessionId === undefined) return;
  await fetch(`/api/sessions/${sessionId}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
}

import type { useChat } from '@ai-sdk/react';
import type { DynamicToolUIPart } from 'ai';
import type { ChatMessage } from './types.ts';

type Answer = ReturnType<typeof useChat<ChatMessage>>['addToolApprovalResponse'];

export function Message({ message, answer }: { message: ChatMessage; answer: Answer }) {
  return (
    <li className={message.role}>
      {message.parts.map((part, index) => {
        // Parts are only appended, so the index is a stable key.
        const key = `${message.id}:${index}`;
        switch (part.type) {
          case 'text':
            return (
              <p key={key} className="text">
                {part.text}
              </p>
            );
          case 'reasoning':
            return (
              <details key={key}>
                <summary>Reasoning</summary>
                <pre>{part.text}</pre>
              </details>
            );
          case 'dynamic-tool':
            return <Tool key={key} part={part} answer={answer} />;
          case 'data-compaction':
            return (
              <p key={key} className="notice">
                Compacted: {part.data.originalTokens} → {part.data.compressedTokens} tokens
              </p>
            );
          case 'data-notice':
            return (
              <p key={key} className="notice">
                {part.data.message}
              </p>
            );
          default:
            return null;
        }
      })}
    </li>
  );
}

const STATES: Partial<Record<DynamicToolUIPart['state'], string>> = {
  'input-available': 'running…',
  'approval-requested': 'waiting for approval',
  'approval-responded': 'answered',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'not allowed',
};

function Tool({ part, answer }: { part: DynamicToolUIPart; answer: Answer }) {
  const about = Object.values(part.input ?? {}).join(' ');
  const output = part.state === 'output-available' ? part.output : part.errorText;
  return (
    <>
      <details className={part.state}>
        <summary>
          <strong>{part.toolName}</strong> <code>{about}</code>
          <span className="state">{STATES[part.state] ?? part.state}</span>
        </summary>
        {output !== undefined && <pre>{typeof output === 'string' ? output : JSON.stringify(output)}</pre>}
      </details>
      {part.state === 'approval-requested' && <Ask id={part.approval.id} what={about} answer={answer} />}
    </>
  );
}

function Ask({ id, what, answer }: { id: string; what: string; answer: Answer }) {
  const refuse = () => {
    const reason = prompt('Reason for the agent (optional):', '');
    if (reason !== null) void answer({ id, approved: false, ...(reason === '' ? {} : { reason }) });
  };
  return (
    <fieldset className="ask">
      {/* Shows the whole call: a truncated call cannot be judged. */}
      <pre>{what}</pre>
      <span>Allow this call?</span>
      <button type="button" className="main" onClick={() => void answer({ id, approved: true })}>
        Allow
      </button>
      <button type="button" onClick={refuse}>
        Deny
      </button>
    </fieldset>
  );
}

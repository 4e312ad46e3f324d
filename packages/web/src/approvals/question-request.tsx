import {
  type Approval,
  expectation,
  type JsonObject,
  type Question,
  readField,
  visibleLine,
  visibleToApprove,
} from '@longhaul/protocol';
import { useId, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { useNotify } from '../ui/toasts.tsx';
import { isNotFound } from './is-not-found.ts';

/** A question of an MCP server, with a field for each value. */
export function QuestionRequest({
  approval,
  question,
  onAnswered,
}: {
  approval: Approval;
  question: Question;
  onAnswered: () => void;
}) {
  const { client } = useServer();
  const notify = useNotify();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [isAnswering, send] = useAction(async (answer: 'once' | 'deny') => {
    const read = readFields(question, typed);
    if (answer === 'once' && 'problem' in read) return setProblem(read.problem);
    const content = 'content' in read ? read.content : {};
    try {
      await client.approvals.answer(
        approval.sessionId,
        approval,
        answer === 'once' ? { answer, content } : { answer, reason: 'the person declined' },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      notify({ kind: 'plain', title: 'Somebody else has answered this question.' });
    }
    return onAnswered();
  });
  return (
    <form
      className="approval"
      onSubmit={(event) => {
        event.preventDefault();
        send('once');
      }}
    >
      <p>
        The MCP server <code>{visibleLine(question.server)}</code> asks. It gets what you type: do not type
        passwords.
      </p>
      <pre className="approval-command">{visibleToApprove(question.message)}</pre>
      {question.fields.map((field) => (
        <FieldInput
          key={field.name}
          label={visibleLine(`${field.label} (${expectation(field)}${field.isRequired ? '' : ', optional'})`)}
          value={typed[field.name] ?? initialText(field.initial)}
          onChange={(value) => setTyped({ ...typed, [field.name]: value })}
        />
      ))}
      {problem !== undefined && (
        <p role="alert" className="bad">
          {visibleLine(problem)}
        </p>
      )}
      <div className="modal-buttons">
        <button type="button" className="button danger" disabled={isAnswering} onClick={() => send('deny')}>
          Decline
        </button>
        <button type="submit" className="button primary" disabled={isAnswering}>
          Answer
        </button>
      </div>
    </form>
  );
}

function FieldInput({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="approval-reason"
        value={value}
        autoComplete="off"
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}

/** Reads what was typed. An initial value that was cleared counts again. */
export function readFields(
  { fields }: Pick<Question, 'fields'>,
  typed: Readonly<Record<string, string>>,
): { content: JsonObject } | { problem: string } {
  const content: JsonObject = {};
  for (const field of fields) {
    const read = readField(field, typed[field.name] ?? '');
    if (!read.ok) return { problem: read.reason };
    Object.assign(content, read.content);
  }
  return { content };
}

function initialText(initial: unknown): string {
  if (initial === undefined) return '';
  if (typeof initial === 'boolean') return initial ? 'yes' : 'no';
  return Array.isArray(initial) ? initial.join(', ') : String(initial);
}

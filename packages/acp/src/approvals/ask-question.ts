import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { type Question, visibleLine } from '@longhaul/protocol';
import { type QuestionChoice, questionChoices, questionText } from './question-choices.ts';
import { formAnswer, questionForm } from './question-form.ts';

export interface QuestionClient {
  /** Asks the person to choose. Rejects if the client cannot, or when the signal aborts. */
  request(question: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  /** Shows a form. Rejects as `request`. Undefined if the client has no forms. */
  showForm():
    | ((form: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>)
    | undefined;
  /** Tells the person something in the chat. */
  tell(text: { title: string; description: string }): void;
}

export interface AskedQuestion {
  question: Question;
  sessionId: string;
  /** The call during which the server asks. */
  toolCallId: string;
  signal: AbortSignal;
}

/**
 * Asks the person what a server wants to know: with a form, or else with answers to choose from. What cannot be asked so
 * is declined, and the person gets to know it.
 *
 * @returns Undefined if the person cancels the turn.
 */
export async function askQuestion(
  { question, sessionId, toolCallId, signal }: AskedQuestion,
  client: QuestionClient,
): Promise<QuestionChoice['answer'] | undefined> {
  const showForm = client.showForm();
  if (showForm !== undefined)
    return formAnswer(await showForm(questionForm(question, { sessionId, toolCallId }), signal), question);
  const choices = questionChoices(question);
  if (choices === undefined) {
    client.tell({
      title: `A question of the MCP server ${question.server} was declined, because this editor has no forms: it cannot ask for texts, numbers or several values. The chat and the page of Longhaul can.`,
      description: quoted(question.message),
    });
    return { answer: 'deny', reason: 'the editor cannot ask for texts, numbers or several values' };
  }
  const { outcome } = await client.request(
    {
      sessionId,
      toolCall: { toolCallId, title: questionText(question) },
      options: choices.map(({ id, name, answer }) => ({
        optionId: id,
        name,
        kind: answer.answer === 'deny' ? 'reject_once' : 'allow_once',
      })),
    },
    signal,
  );
  if (outcome.outcome === 'cancelled') return undefined;
  return choices.find(({ id }) => id === outcome.optionId)?.answer ?? { answer: 'deny' };
}

const MAX_QUOTED_CHARS = 500;

/** The words of a server, so that the editor shows no Markdown of it. */
function quoted(text: string): string {
  return `\`${visibleLine(text).replaceAll('`', "'").slice(0, MAX_QUOTED_CHARS)}\``;
}

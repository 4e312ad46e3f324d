import type { ApprovalAnswer, JsonObject, Question } from '@longhaul/protocol';

/** One of the answers to a question of a server, as editors offer it. */
export interface QuestionChoice {
  id: string;
  name: string;
  answer: { answer: ApprovalAnswer; reason?: string; content?: JsonObject };
}

const MAX_CHOICES = 12;

/**
 * Returns the answers that an editor can offer for a question: it can only let the person choose. Undefined if the
 * question needs a text or a number, or several values.
 */
export function questionChoices({ fields }: Question): QuestionChoice[] | undefined {
  const needed = fields.filter(({ isRequired, initial }) => isRequired && initial === undefined);
  const [field = fields[0], ...others] = needed;
  if (others.length > 0) return undefined;
  const decline: QuestionChoice = {
    id: 'decline',
    name: 'Decline',
    answer: { answer: 'deny', reason: 'the person declined' },
  };
  const choice = (name: string, content: JsonObject, index: number): QuestionChoice => ({
    id: `answer-${index}`,
    name,
    answer: { answer: 'once', content },
  });
  if (field === undefined) return [choice('Agree', {}, 0), decline];
  if (field.kind === 'boolean')
    return [choice('Yes', { [field.name]: true }, 0), choice('No', { [field.name]: false }, 1), decline];
  if (field.kind === 'choice' && field.choices.length <= MAX_CHOICES)
    return [...field.choices.map((value, index) => choice(value, { [field.name]: value }, index)), decline];
  return needed.length === 0 ? [choice('Agree', {}, 0), decline] : undefined;
}

/** What a server asks, with its name: the server chooses the words. */
export function questionText({ server, message, fields }: Question): string {
  const labels = fields.map(({ label }) => label).join('; ');
  return `The MCP server ${server} asks: ${message}${labels === '' ? '' : ` (${labels})`}`;
}

/** Returns the id of the call that a request of a server belongs to. */
export function calledFrom(callId: string): string {
  return callId.replace(/:[qs]\d+$/, '');
}

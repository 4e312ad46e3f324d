import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
} from '@agentclientprotocol/sdk';
import {
  checkContent,
  isObject,
  type JsonObject,
  type Question,
  type QuestionField,
} from '@longhaul/protocol';
import { type QuestionChoice, questionText } from './question-choices.ts';

/** Returns a question of a server as a form, for an editor that shows forms. */
export function questionForm(
  question: Question,
  scope: { sessionId: string; toolCallId: string },
): CreateElicitationRequest {
  const { fields } = question;
  const required = fields.filter(({ isRequired, initial }) => isRequired && initial === undefined);
  return {
    ...scope,
    mode: 'form',
    message: questionText(question),
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
      required: required.map(({ name }) => name),
    },
  };
}

function propertyOf({ kind, label, choices, initial }: QuestionField): ElicitationPropertySchema {
  const shown = { title: label, ...(initial !== undefined && { default: initial }) };
  switch (kind) {
    case 'text':
      return { ...shown, type: 'string' };
    case 'choice':
      return { ...shown, type: 'string', enum: choices };
    case 'choices':
      return { ...shown, type: 'array', items: { type: 'string', enum: choices } };
    case 'number':
    case 'integer':
    case 'boolean':
      return { ...shown, type: kind };
  }
}

/** Returns the answer to store. An editor could send anything. */
export function formAnswer(
  response: CreateElicitationResponse,
  question: Question,
): QuestionChoice['answer'] {
  if (response.action !== 'accept') return { answer: 'deny', reason: 'the person declined' };
  const checked = checkContent(question, valuesOf(response['content']));
  if (checked.ok) return { answer: 'once', content: checked.content };
  return { answer: 'deny', reason: `the editor sent a value that does not fit: ${checked.reason}` };
}

/** An editor may send nothing for a field that the person left empty. */
function valuesOf(content: unknown): JsonObject {
  const given = JSON.parse(JSON.stringify(content ?? {}));
  if (!isObject(given)) return {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ''));
}

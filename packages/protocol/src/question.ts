import type { Approval } from './approval.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** The name under which questions of MCP servers are approvals. No tool has it. */
export const QUESTION_TOOL = 'mcp_question';

const SAMPLING = 'mcp_sampling:';

/** Returns the name under which a server's use of the model is an approval. No tool has it. */
export function samplingName(server: string): string {
  return `${SAMPLING}${server}`;
}

/** Whether an approval belongs to a running call, which cannot wait for the next run. */
export function isOfRunningCall({ toolName }: Pick<Approval, 'toolName'>): boolean {
  return toolName === QUESTION_TOOL || toolName.startsWith(SAMPLING);
}

/** A question of a server to the person, in the middle of a call. Its answer is a value for each field. */
export interface Question {
  server: string;
  message: string;
  fields: QuestionField[];
}

export interface QuestionField {
  name: string;
  /** What people see. */
  label: string;
  kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  /** Values of `choice` and `choices`. */
  choices: string[];
  isRequired: boolean;
  /** Used if the person gives no value. */
  initial?: JsonValue;
}

export type CheckedContent = { ok: true; content: JsonObject } | { ok: false; reason: string };

/** Returns the question that an approval is. Undefined for the approval of a call. */
export function questionOf({ toolName, args }: Pick<Approval, 'toolName' | 'args'>): Question | undefined {
  if (toolName !== QUESTION_TOOL || !isObject(args)) return undefined;
  const { server, message, fields } = args;
  if (typeof server !== 'string' || typeof message !== 'string' || !Array.isArray(fields)) return undefined;
  return { server, message, fields: fields.flatMap(toField) };
}

/** Checks the values of an answer, and adds those that the person left out. */
export function checkContent({ fields }: Pick<Question, 'fields'>, given: JsonObject = {}): CheckedContent {
  const content: JsonObject = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : field.initial;
    if (value === undefined) {
      if (field.isRequired) return { ok: false, reason: `${field.name} needs a value.` };
    } else if (!fits(field, value)) {
      return { ok: false, reason: `${field.name} must be ${expectation(field)}.` };
    } else {
      content[field.name] = value;
    }
  }
  return { ok: true, content };
}

/** Reads what a person typed for a field. An empty text gives no value. */
export function readField(field: QuestionField, typed: string): CheckedContent {
  const text = typed.trim();
  if (text === '') return checkContent({ fields: [field] });
  return checkContent({ fields: [field] }, { [field.name]: typedValue(field, text) });
}

/** Describes what a value of a field can be, for people. */
export function expectation({ kind, choices }: QuestionField): string {
  switch (kind) {
    case 'text':
      return 'a text';
    case 'number':
      return 'a number';
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return `one of ${choices.join(', ')}`;
    case 'choices':
      return `some of ${choices.join(', ')}, separated by commas`;
  }
}

function typedValue({ kind, choices }: QuestionField, text: string): JsonValue {
  if (kind === 'number' || kind === 'integer') return Number(text);
  if (kind === 'boolean')
    return /^(?:y|yes|true)$/i.test(text) || (/^(?:n|no|false)$/i.test(text) ? false : text);
  const chosen = (word: string) => choices.find((each) => each.toLowerCase() === word.toLowerCase()) ?? word;
  if (kind === 'choice') return chosen(text);
  if (kind === 'choices') return text.split(',').map((word) => chosen(word.trim()));
  return text;
}

function fits({ kind, choices }: QuestionField, value: JsonValue): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && choices.includes(value);
    case 'choices':
      return (
        Array.isArray(value) && value.every((each) => typeof each === 'string' && choices.includes(each))
      );
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'number', 'integer', 'boolean', 'choice', 'choices']);

function toField(value: JsonValue): QuestionField[] {
  if (!isObject(value) || !KINDS.has(value['kind'])) return [];
  const { name, label, kind, choices, isRequired, initial } = value;
  if (typeof name !== 'string') return [];
  return [
    {
      name,
      label: typeof label === 'string' ? label : name,
      // Checked above.
      kind: kind as QuestionField['kind'],
      choices: Array.isArray(choices) ? choices.filter((each) => typeof each === 'string') : [],
      isRequired: isRequired === true,
      ...(initial !== undefined && { initial }),
    },
  ];
}

import { sanitizeText } from '@longhaul/core/tool-output';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  type Question,
  type QuestionField,
} from '@longhaul/protocol';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';

const MAX_FIELDS = 30;
const MAX_CHOICES = 100;
const MAX_MESSAGE_CHARS = 4_000;
const MAX_LABEL_CHARS = 300;

/** Returns what a server asks as a question for a person. Undefined if a field cannot be asked. */
export function toQuestion(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
): Question | undefined {
  const { properties, required = [] }: { properties: JsonValue; required?: string[] } = JSON.parse(
    JSON.stringify(requestedSchema),
  );
  const entries = Object.entries(isObject(properties) ? properties : {});
  const fields = entries.map(([name, schema]) =>
    isObject(schema) ? fieldOf(name, schema, required.includes(name)) : undefined,
  );
  const known = fields.filter((field) => field !== undefined);
  if (known.length < fields.length || known.length > MAX_FIELDS) return undefined;
  return { server, message: sanitizeText(message).slice(0, MAX_MESSAGE_CHARS), fields: known };
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): QuestionField | undefined {
  const { type, title, description, default: initial, items } = schema;
  const choices = choicesOf(type === 'array' && isObject(items) ? items : schema);
  const kind = kindOf(type, choices.length > 0);
  if (kind === undefined || choices.length > MAX_CHOICES) return undefined;
  const texts = [title ?? name, description].filter((text) => typeof text === 'string' && text !== '');
  const label = sanitizeText(texts.join(': ')).replaceAll(/\s+/g, ' ').slice(0, MAX_LABEL_CHARS);
  return { name, label, kind, choices, isRequired, ...(initial !== undefined && { initial }) };
}

function kindOf(type: JsonValue | undefined, hasChoices: boolean): QuestionField['kind'] | undefined {
  if (type === 'array') return hasChoices ? 'choices' : undefined;
  if (type === 'string') return hasChoices ? 'choice' : 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : undefined;
}

/** `enum: [...]`, or `oneOf` and `anyOf` with titles. The values are what the server gets, so they are what people choose. */
function choicesOf({ enum: values, oneOf, anyOf }: JsonObject): string[] {
  if (Array.isArray(values)) return values.filter((value) => typeof value === 'string');
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled.flatMap((each) =>
    isObject(each) && typeof each['const'] === 'string' ? [each['const']] : [],
  );
}

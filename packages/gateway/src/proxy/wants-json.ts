import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';

/** Fields of OpenAI, llama.cpp and vLLM that request structured output. */
const FIELDS = [
  'grammar',
  'json_schema',
  'guided_json',
  'guided_grammar',
  'guided_regex',
  'structured_outputs',
];

/** Whether a request asks for an answer that a notice in its text would break: by a field, or in words. */
export function wantsStructure(json: Record<string, unknown>, messages: readonly ChatMessage[]): boolean {
  const format = json['response_format'];
  const type = isRecord(format) ? format['type'] : undefined;
  if (typeof type === 'string' && type !== 'text') return true;
  if (FIELDS.some((field) => json[field] !== undefined)) return true;
  return wordsOf(messages).some(asksForJson);
}

/** The instructions that apply to the answer: the system text and the last question. */
function wordsOf(messages: readonly ChatMessage[]): string[] {
  const asked = messages.findLast(({ role }) => role === 'user');
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return [...system, ...(asked === undefined ? [] : [asked])].map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content ?? ''),
  );
}

/** Instructions about the form of the answer are at one of the ends of a text. */
const END_CHARS = 2_000;
const JSON_ANSWER =
  /\b(?:answer|respond|reply|return|output|produce|write)\b[^.\n]{0,60}\b(?:valid |pure |raw |only )?json\b(?! (?:file|config))|\bjson (?:object |array |format )?only\b|\bonly (?:valid |a )?json\b/i;

function asksForJson(text: string): boolean {
  const ends = text.length > 2 * END_CHARS ? [text.slice(0, END_CHARS), text.slice(-END_CHARS)] : [text];
  return ends.some((end) => JSON_ANSWER.test(end));
}

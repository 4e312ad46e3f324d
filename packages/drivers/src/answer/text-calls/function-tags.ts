import { isObject, type JsonObject } from '@longhaul/protocol';
import { beginsAfter, type TextCallForm, typedValue } from './text-call-form.ts';

const CALL =
  /^(?:<(?:seed:)?tool_call>\s*)?<function=([^>\s]+)>(.*?)<\/function>(?:\s*<\/(?:seed:)?tool_call>)?/s;
const PARAMETER = /<parameter=([^>\s]+)>\n?(.*?)\n?<\/parameter>(?=\s*(?:<parameter=|$))/gs;

const OPENERS = ['<tool_call>', '<seed:tool_call>', '<function='];
/** The text from the name on. */
const NAMED = String.raw`[^>\s]*(?:$|>\s*(?:$|\{|<(?:$|p(?:$|a)|\/)))`;
const beginsAlone = beginsAfter(['<function='], new RegExp(`^${NAMED}`));
const beginsInTag = beginsAfter(
  ['<tool_call>', '<seed:tool_call>'],
  new RegExp(String.raw`^\s*(?:$|<(?:[a-z]{0,8}$|function=${NAMED}))`),
);

/**
 * Qwen's coder models, and Seed: `<function=NAME><parameter=KEY>value</parameter></function>`, often inside `<tool_call>`. Llama 3
 * writes JSON between the same tags.
 */
export const functionTags: TextCallForm = {
  openers: OPENERS,
  canBegin: (text) => beginsInTag(text) || beginsAlone(text),
  read(text, tools) {
    const match = CALL.exec(text);
    if (match === null) return undefined;
    const [whole, name = '', body = ''] = match;
    const input = inputIn(body, name, tools);
    return input === undefined ? undefined : { calls: [{ name, input }], length: whole.length };
  },
};

function inputIn(
  body: string,
  name: string,
  { parse, schemaOf }: Parameters<TextCallForm['read']>[1],
): JsonObject | undefined {
  if (/^\s*\{/.test(body)) {
    const value = parse(body);
    return isObject(value) ? value : undefined;
  }
  if (body.replace(PARAMETER, '').trim() !== '') return undefined;
  const parameters = [...body.matchAll(PARAMETER)].map(([, key = '', value = '']) => [
    key,
    typedValue(value, key, schemaOf(name)),
  ]);
  return Object.fromEntries(parameters);
}

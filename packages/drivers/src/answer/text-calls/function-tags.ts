import { isObject, type JsonObject } from '@longhaul/protocol';
import { beginsAfter, inputOf, type TextCallForm, typedValue } from './text-call-form.ts';
import { readWholeCall } from './whole-call.ts';

const OPENING = /^(?:<(?:seed:)?tool_call>\s*)?<function=([^>\s]+)>/;
const CLOSER = /<\/function>(?:\s*<\/(?:seed:)?tool_call>)?/g;
const PARAMETER = /<parameter=([^>\s]+)>\n?(.*?)\n?<\/parameter>(?=\s*(?:<parameter=|$))/gs;
const NEXT = /^(?:\s|<\|\w+\|>|<\/s>)*(?:$|<(?:(?:seed:)?tool_call>\s*<)?function=)/;

const OPENERS = ['<tool_call>', '<seed:tool_call>', '<function='];
/** The text from the name on. */
const NAMED = String.raw`[^>\s]*(?:$|>\s*(?:$|\{|<(?:$|p(?:$|a)|\/)))`;
const beginsAlone = beginsAfter(['<function='], new RegExp(`^${NAMED}`));
const beginsInTag = beginsAfter(
  ['<tool_call>', '<seed:tool_call>'],
  new RegExp(String.raw`^\s*(?:$|<(?:[a-z]{0,8}$|function=${NAMED}))`),
);

/**
 * Qwen's coder models, and Seed: `<function=NAME><parameter=KEY>value</parameter></function>`, often inside
 * `<tool_call>`. Llama 3 writes JSON between the same tags.
 */
export const functionTags: TextCallForm = {
  openers: OPENERS,
  canBegin: (text) => beginsInTag(text) || beginsAlone(text),
  read(text, tools) {
    const [opening, name] = OPENING.exec(text) ?? [];
    if (opening === undefined || name === undefined) return undefined;
    const found = readWholeCall(text, {
      from: opening.length,
      closer: CLOSER,
      read: (body) => inputIn(body, name, tools),
      next: NEXT,
    });
    return found && { calls: [{ name, input: found.call }], length: found.end };
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
  return inputOf(
    [...body.matchAll(PARAMETER)].map(([, key = '', value = '']) => [
      key,
      typedValue(value, key, schemaOf(name)),
    ]),
  );
}

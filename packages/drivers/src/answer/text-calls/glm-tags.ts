import { beginsAfter, type TextCallForm, typedValue } from './text-call-form.ts';

const CALL =
  /^<tool_call>\s*([^\s<{]+)\s*((?:<arg_key>.*?<\/arg_key>\s*<arg_value>.*?<\/arg_value>\s*)*)<\/tool_call>/s;
const ARGUMENT = /<arg_key>(.*?)<\/arg_key>\s*<arg_value>(.*?)<\/arg_value>/gs;

/** GLM: `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>value</arg_value></tool_call>`. */
export const glmTags: TextCallForm = {
  openers: ['<tool_call>'],
  canBegin: beginsAfter(['<tool_call>'], /^\s*(?:$|[\w.:-]+\s*(?:$|<(?:$|a|\/)))/),
  read(text, { schemaOf }) {
    const match = CALL.exec(text);
    if (match === null) return undefined;
    const [whole, name = '', body = ''] = match;
    const given = [...body.matchAll(ARGUMENT)].map(([, key = '', value = '']) => [
      key.trim(),
      typedValue(value, key.trim(), schemaOf(name)),
    ]);
    return { calls: [{ name, input: Object.fromEntries(given) }], length: whole.length };
  },
};

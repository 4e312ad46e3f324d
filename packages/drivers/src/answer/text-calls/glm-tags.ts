import type { ToolSchema } from '@longhaul/core';
import { isBlank, type JsonValue } from '@longhaul/protocol';
import { beginsAfter, inputOf, type TextCallForm, typedValue } from './text-call-form.ts';
import { readWholeCall } from './whole-call.ts';

const OPENING = /^<tool_call>\s*([^\s<{]+)\s*/;
const ARGUMENT = /<arg_key>(.*?)<\/arg_key>\s*<arg_value>(.*?)<\/arg_value>(?=\s*(?:<arg_key>|$))/gs;
const NEXT = /^(?:\s|<\|\w+\|>|<\/s>)*(?:$|<tool_call>)/;

/** GLM: `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>value</arg_value></tool_call>`. */
export const glmTags: TextCallForm = {
  openers: ['<tool_call>'],
  canBegin: beginsAfter(['<tool_call>'], /^\s*(?:$|[\w.:-]+\s*(?:$|<(?:$|a|\/)))/),
  read(text, { schemaOf }) {
    const [opening, name] = OPENING.exec(text) ?? [];
    if (opening === undefined || name === undefined) return undefined;
    const found = readWholeCall(text, {
      from: opening.length,
      closer: /<\/tool_call>/g,
      next: NEXT,
      read: (body) =>
        isBlank(body.replace(ARGUMENT, '')) ? inputOf(argumentsIn(body, schemaOf(name))) : undefined,
    });
    return found && { calls: [{ name, input: found.call }], length: found.end };
  },
};

function argumentsIn(body: string, schema: ToolSchema | undefined): [key: string, value: JsonValue][] {
  return [...body.matchAll(ARGUMENT)].map(([, key = '', value = '']) => [
    key.trim(),
    typedValue(value, key.trim(), schema),
  ]);
}

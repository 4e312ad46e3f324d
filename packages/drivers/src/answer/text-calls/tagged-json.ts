import { valueEnd } from '../loose-json.ts';
import {
  beginsAfter,
  callsIn,
  type FormTools,
  type TextCallForm,
  type WrittenCall,
} from './text-call-form.ts';

const OPENERS = [
  '<tool_call>',
  '<tool_calls>',
  '<function_call>',
  '<|tool_call|>',
  '<|python_tag|>',
  '<TOOLCALL>',
  '<tools>',
  '<longcat_tool_call>',
  '[TOOL_REQUEST]',
  'functools[',
  '<|action_start|><|plugin|>',
  '<|action_start|> <|plugin|>',
  '<|action_start|>\n<|plugin|>',
];

const CLOSER =
  /^\s*(?:<\/(?:tool_calls?|function_call|TOOLCALL|tools|longcat_tool_call)>|<\|\/tool_call\|>|\[END_TOOL_REQUEST\]|<\|action_end\|>)/;

/** The beginning of an object or a list of them. The list of Phi begins in its opener. */
const BEGINNING = /^\s*(?:$|(?:\[\s*)?(?:$|\{\s*(?:$|["'])))/;

/**
 * JSON after a tag, as Hermes, Qwen, Llama, Granite, Nemotron, LongCat, Phi, InternLM and LM Studio write it:
 * `<tool_call>{"name": …}</tool_call>`.
 */
export const taggedJson: TextCallForm = {
  openers: OPENERS,
  canBegin: beginsAfter(OPENERS, BEGINNING),
  read(text, tools) {
    const opener = OPENERS.find((tag) => text.startsWith(tag));
    if (opener === undefined) return undefined;
    // The list begins in the opener itself.
    const read = readValues(text, opener.length - (opener.endsWith('[') ? 1 : 0), tools);
    if (read === undefined) return undefined;
    // Servers that stop at the closing tag leave it out.
    const closer = CLOSER.exec(text.slice(read.end))?.[0] ?? '';
    return { calls: read.calls, length: read.end + closer.length };
  },
};

/** Reads objects or lists that follow each other. */
function readValues(text: string, from: number, tools: FormTools) {
  const calls: WrittenCall[] = [];
  let end = from;
  for (;;) {
    const start = end + (/^[\s;,]*/.exec(text.slice(end))?.[0].length ?? 0);
    if (!/[[{]/.test(text.charAt(start)) || CLOSER.test(text.slice(start, start + 40))) break;
    const valueStop = valueEnd(text, start);
    const found =
      valueStop === undefined ? undefined : callsIn(tools.parse(text.slice(start, valueStop)), tools);
    if (found === undefined || valueStop === undefined) return undefined;
    calls.push(...found);
    end = valueStop;
  }
  return calls.length === 0 ? undefined : { calls, end };
}

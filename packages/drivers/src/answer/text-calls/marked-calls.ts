import { isObject } from '@longhaul/protocol';
import { valueEnd } from '../loose-json.ts';
import {
  beginsAfter,
  callsIn,
  type FormTools,
  type TextCallForm,
  type WrittenCall,
  type WrittenCalls,
} from './text-call-form.ts';

/** Forms with special tokens between a name and its arguments as JSON. */

/** Kimi: `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`, in a section. */
export const kimiTokens = markedCalls({
  openers: ['<|tool_calls_section_begin|>', '<|tool_call_begin|>'],
  after: /^\s*(?:$|[\w.:-]+\s*(?:$|<)|<)/,
  section: /^<\|tool_calls_section_begin\|>\s*/,
  call: /^<\|tool_call_begin\|>\s*([^\s<]+)\s*<\|tool_call_argument_begin\|>\s*/,
  callEnd: /^\s*<\|tool_call_end\|>\s*/,
  sectionEnd: /^<\|tool_calls_section_end\|>/,
});

/** DeepSeek V3.1: `<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`. R1 adds a type and a code fence. */
export const deepseekTokens = markedCalls({
  openers: ['<｜tool▁calls▁begin｜>', '<｜tool▁call▁begin｜>'],
  after: /^\s*(?:$|[\w.:-]+\s*(?:$|<|\{|`)|<)/,
  section: /^<｜tool▁calls▁begin｜>\s*/,
  call: /^<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?\s*([^\s<]+)\s*(?:<｜tool▁sep｜>)?\s*(?:```(?:json)?\s*)?/,
  callEnd: /^\s*(?:```)?\s*<｜tool▁call▁end｜>\s*/,
  sectionEnd: /^<｜tool▁calls▁end｜>/,
});

const HARMONY_STARTS = ['', '<|start|>assistant'];
/**
 * gpt-oss: `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`, also with the receiver
 * before the channel.
 */
export const harmonyTokens = markedCalls({
  openers: [
    ...HARMONY_STARTS.flatMap((start) =>
      ['commentary', 'analysis'].map((name) => `${start}<|channel|>${name}`),
    ),
    '<|start|>assistant to=',
  ],
  after: /^(?:$|\s+(?:$|t(?:$|o(?:$|=)))|[\w.:-]+\s*(?:$|<))/,
  section: /^/,
  call: /^(?:<\|start\|>assistant)?(?:<\|channel\|>(?:commentary|analysis)\s+to=([^\s<]+)|\s+to=([^\s<]+)\s*<\|channel\|>(?:commentary|analysis))\s*(?:(?:<\|constrain\|>)?\s*(?:json|code))?\s*<\|message\|>\s*/,
  callEnd: /^\s*(?:<\|(?:call|end)\|>)?\s*/,
  sectionEnd: /^/,
});

/** Newer Mistral models: `[TOOL_CALLS]NAME[ARGS]{…}`, also without `[ARGS]` or with an id. */
const mistralNames = markedCalls({
  openers: ['[TOOL_CALLS]'],
  after: /^\s*(?:$|[[{]|[\w.:-]+\s*(?:$|\[|\{))/,
  section: /^/,
  call: /^\[TOOL_CALLS\]\s*([\w.:-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\])?\s*/,
  callEnd: /^\s*/,
  sectionEnd: /^/,
});

/** Mistral: the form above, or a list after the token: `[TOOL_CALLS][{"name": …}]`. */
export const mistralTokens: TextCallForm = {
  openers: mistralNames.openers,
  canBegin: mistralNames.canBegin,
  read(text, tools) {
    const start = /^\[TOOL_CALLS\]\s*(?=[[{])/.exec(text)?.[0].length;
    if (start === undefined) return mistralNames.read(text, tools);
    const end = valueEnd(text, start);
    const calls = end === undefined ? undefined : callsIn(tools.parse(text.slice(start, end)), tools);
    return calls === undefined || end === undefined ? undefined : { calls, length: end };
  },
};

interface Marks {
  openers: readonly string[];
  /** Matches what can follow an opener, also if it is incomplete. */
  after: RegExp;
  section: RegExp;
  /** Ends where the arguments begin. Its only group with a text is the name. */
  call: RegExp;
  callEnd: RegExp;
  sectionEnd: RegExp;
}

function markedCalls({ openers, after, section, call, callEnd, sectionEnd }: Marks): TextCallForm {
  return {
    openers,
    canBegin: beginsAfter(openers, after),
    read(text, tools) {
      const calls: WrittenCall[] = [];
      let at = section.exec(text)?.[0].length ?? 0;
      for (;;) {
        const read = readCall(text.slice(at), tools, { call, callEnd });
        if (read === undefined) break;
        calls.push(...read.calls);
        at += read.length;
      }
      if (calls.length === 0) return undefined;
      return { calls, length: at + (sectionEnd.exec(text.slice(at))?.[0].length ?? 0) };
    },
  };
}

function readCall(
  text: string,
  { parse }: FormTools,
  { call, callEnd }: Pick<Marks, 'call' | 'callEnd'>,
): WrittenCalls | undefined {
  const match = call.exec(text);
  if (match === null) return undefined;
  const [opening, ...names] = match;
  const name = names.find((found) => found !== undefined) ?? '';
  const end = valueEnd(text, opening.length);
  const closing = end === undefined ? null : callEnd.exec(text.slice(end));
  if (end === undefined || closing === null) return undefined;
  const input = parse(text.slice(opening.length, end));
  return isObject(input) ? { calls: [{ name, input }], length: end + closing[0].length } : undefined;
}

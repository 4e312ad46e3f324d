import type { JsonObject } from '@longhaul/protocol';
import { bareJson } from './bare-json.ts';
import { functionTags } from './function-tags.ts';
import { glmTags } from './glm-tags.ts';
import { invokeTags } from './invoke-tags.ts';
import { deepseekTokens, harmonyTokens, kimiTokens, mistralTokens } from './marked-calls.ts';
import { taggedJson } from './tagged-json.ts';
import type { FormTools, TextCallForm, WrittenCall } from './text-call-form.ts';

/** Forms with the same opener are tried in this order. */
const FORMS: readonly TextCallForm[] = [
  taggedJson,
  functionTags,
  glmTags,
  invokeTags,
  kimiTokens,
  deepseekTokens,
  mistralTokens,
  harmonyTokens,
  bareJson,
];

/** The texts with which calls can begin, in all forms. */
export const OPENERS: readonly string[] = [...new Set(FORMS.flatMap((form) => form.openers))];

/** Tokens that end a turn. Some servers leave them in the text. */
const BETWEEN = /^(?:\s|<\|(?:im_end|eot_id|eom_id|end|endoftext|return)\|>|<\/s>|<｜end▁of▁sentence｜>|;)*/;

export interface TextCallTools extends FormTools {
  /** Returns the call as its tool accepts it, or undefined. */
  accepted: (call: WrittenCall) => { name: string; input: JsonObject } | undefined;
}

/** Reads a text that consists of calls. Undefined unless all of it is calls that known tools accept. */
export function readTextCalls(text: string, tools: TextCallTools): WrittenCall[] | undefined {
  const calls: WrittenCall[] = [];
  let rest = text.replace(BETWEEN, '');
  while (rest !== '') {
    const read = FORMS.map((form) => form.read(rest, tools)).find((found) => found !== undefined);
    const accepted = read?.calls.map(tools.accepted);
    if (read === undefined || accepted === undefined) return undefined;
    for (const call of accepted) {
      if (call === undefined) return undefined;
      calls.push(call);
    }
    rest = rest.slice(read.length).replace(BETWEEN, '');
  }
  return calls.length === 0 ? undefined : calls;
}

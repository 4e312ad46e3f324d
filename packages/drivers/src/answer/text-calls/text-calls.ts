import type { JsonObject } from '@longhaul/protocol';
import { FORMS } from './forms.ts';
import type { FormTools, WrittenCall } from './text-call-form.ts';

/** Tokens that end a turn. Some servers leave them in the text. */
const BETWEEN =
  /^(?:\s|<\|(?:im_end|eot_id|eom_id|end|endoftext|return)\|>|<\/s>|<｜end▁of▁sentence｜>|<turn\|>|<end_of_turn>|;)*/;

export interface TextCallTools extends FormTools {
  /** Returns the call as its tool accepts it, or undefined. */
  accepted: (call: WrittenCall) => { name: string; input: JsonObject } | undefined;
}

export interface ReadCall {
  written: WrittenCall;
  /** The call as its tool accepts it. Undefined: there is no such tool, or it refuses the arguments. */
  accepted: WrittenCall | undefined;
}

export interface LeadingCalls {
  calls: ReadCall[];
  /** The text after the calls. */
  rest: string;
}

/** Reads the calls at the beginning of a text. */
export function readLeadingCalls(text: string, tools: TextCallTools): LeadingCalls {
  const calls: ReadCall[] = [];
  let rest = withoutTurnEnds(text);
  while (rest !== '') {
    const read = FORMS.map((form) => form.read(rest, tools)).find((found) => found !== undefined);
    if (read === undefined || read.length === 0) break;
    calls.push(...read.calls.map((written) => ({ written, accepted: tools.accepted(written) })));
    rest = withoutTurnEnds(rest.slice(read.length));
  }
  return { calls, rest };
}

/** Returns the text without blanks and tokens that end a turn at its beginning. */
export function withoutTurnEnds(text: string): string {
  return text.replace(BETWEEN, '');
}

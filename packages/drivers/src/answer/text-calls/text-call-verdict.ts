import { isBlank } from '@longhaul/protocol';
import { valueEnd } from '../loose-json.ts';
import { hasOpener } from './forms.ts';
import { type LeadIn, leadInOf } from './lead-in.ts';
import type { WrittenCall } from './text-call-form.ts';
import { type LeadingCalls, readLeadingCalls, type TextCallTools, withoutTurnEnds } from './text-calls.ts';

/**
 * What the end of an answer is. `text`: the answer only writes about calls. `broken`: calls that cannot be read or
 * made. `uncertain`: one of both.
 */
export type TextCallVerdict =
  | { kind: 'calls'; calls: WrittenCall[]; after?: string }
  | { kind: 'text' | 'broken' | 'uncertain' };

/** The end of an answer, from a place where a call can begin. */
export interface CallText {
  before: string;
  text: string;
}

const TEXT = { kind: 'text' } as const;
const BROKEN = { kind: 'broken' } as const;
const UNCERTAIN = { kind: 'uncertain' } as const;

/** Judges the end of an answer. All of it must be calls that known tools accept, or none of them is made. */
export function judgeCallText({ before, text }: CallText, tools: TextCallTools): TextCallVerdict {
  const leadIn = leadInOf(before);
  if (leadIn === 'example') return TEXT;
  const verdict = judgeCalls({ before, text }, tools);
  if (verdict.kind === 'text') return TEXT;
  if (leadIn === 'content') return UNCERTAIN;
  const isWithinLine = !isBlank(before.split('\n').at(-1) ?? '');
  return isWithinLine ? judgeWithinLine(verdict, { leadIn, isMarked: hasOpener(text) }) : verdict;
}

/** Within a line, a call without a mark is made only after an announcement, and a broken one can be prose. */
function judgeWithinLine(
  verdict: TextCallVerdict,
  { leadIn, isMarked }: { leadIn: LeadIn; isMarked: boolean },
): TextCallVerdict {
  if (isMarked || leadIn === 'plan') return verdict;
  return verdict.kind === 'calls' ? UNCERTAIN : TEXT;
}

function judgeCalls({ before, text }: CallText, tools: TextCallTools): TextCallVerdict {
  const read = readLeadingCalls(text, tools);
  const accepted = read.calls.map((call) => call.accepted).filter((call) => call !== undefined);
  const areAccepted = read.calls.length > 0 && accepted.length === read.calls.length;
  if (areAccepted && read.rest === '') return { kind: 'calls', calls: accepted };
  const isBeforeLine = /\n\s*$/.test(text.slice(0, text.length - read.rest.length));
  if (areAccepted && ANNOUNCED_AFTER.test(text)) return { kind: 'calls', calls: accepted, after: read.rest };
  const isWhole = isBlank(before);
  const mayBeCalls = areAccepted && (isBeforeLine || MADE_UP_RESULT.test(read.rest));
  if (!hasOpener(text)) return judgeUnmarked(text, { ...read, isWhole, mayBeCalls, tools });
  if (read.rest === '') return isWhole || namesTool(read, tools) ? BROKEN : UNCERTAIN;
  if (read.calls.length > 0 && !hasOpener(read.rest)) return mayBeCalls ? UNCERTAIN : TEXT;
  return judgeUnread(read.rest, { isWhole, tools });
}

/** JSON and the like after words is common in prose, and so is JSON that is not a call. */
function judgeUnmarked(
  text: string,
  options: LeadingCalls & { isWhole: boolean; mayBeCalls: boolean; tools: TextCallTools },
): TextCallVerdict {
  const { calls, rest, isWhole, mayBeCalls, tools } = options;
  if (calls.length === 0 && tools.parse(text) !== undefined) return TEXT;
  if (mayBeCalls && (isWhole || MADE_UP_RESULT.test(rest))) return UNCERTAIN;
  const isXml = text.startsWith('<');
  if (calls.length > 0) return isWhole && rest === '' && !isXml ? BROKEN : TEXT;
  if (isXml && endOfAttempt(text) !== undefined) return TEXT;
  const verdict = judgeUnread(text, { isWhole, tools });
  if (isWhole || verdict === TEXT) return verdict;
  return endOfAttempt(text) === undefined ? UNCERTAIN : TEXT;
}

/** LFM2 announces a call directly after it. */
const ANNOUNCED_AFTER = /^<\|tool_call_start\|>.*<\|tool_call_end\|>\p{Lu}[^\n]*$/su;

/** A result that the model wrote itself. */
const MADE_UP_RESULT = /^(?:Observation:|<tool_response>|```tool_output|\[Result)/;

/** Judges a text that begins like a call, but not with one that can be read. */
function judgeUnread(
  text: string,
  { isWhole, tools }: { isWhole: boolean; tools: TextCallTools },
): TextCallVerdict {
  const name = NAME.exec(text)
    ?.slice(1)
    .find((found) => found !== undefined);
  if (!hasOpener(text) && (name === undefined || tools.schemaOf(name) === undefined)) return TEXT;
  const word = MARK_ALONE.exec(text)?.[1];
  if (word !== undefined && word !== '' && tools.schemaOf(word) === undefined) return TEXT;
  if (word === '') return UNCERTAIN;
  const end = endOfAttempt(text);
  if (end !== undefined) {
    const after = withoutTurnEnds(text.slice(end));
    if (after !== '' && !hasOpener(after)) return TEXT;
    return isWhole ? BROKEN : UNCERTAIN;
  }
  const isOfTool = name === undefined || tools.schemaOf(name) !== undefined;
  return isWhole || isOfTool ? BROKEN : UNCERTAIN;
}

/** A mark with at most a word after it. */
const MARK_ALONE =
  /^(?:<(?:antml:|｜DSML｜)?invoke name="[^"]*">?|<\|action_start\|>\s*<\|plugin\|>|<[^<>]*>|\[\w+\]|functools\[)\s*([\w.:-]*)\s*$/;

/** Judges an answer in which no call begins. It can be an attempt at one all the same. */
export function judgeWholeText(answer: string): TextCallVerdict {
  const text = answer.replace(/^(?:[ \t]*\n)* {0,3}/, '').trimEnd();
  return hasOpener(text) && ATTEMPT.test(text) ? BROKEN : TEXT;
}

/** A mark, text without a blank line, and the end of a call. */
const ATTEMPT =
  /^(?:<[^<>]*>|\[TOOL_CALLS\]|functools\[)(?:\n|[^\s.,;:!?)'"`])(?:(?!\n\s*\n).)*(?:<\/[\w:｜]+>|[|｜]>|[\]}])$|^<[|｜][^<>\n]*>\S.*\)$/s;

/** The name of the tool in a call that cannot be read. */
const NAME =
  /"(?:name|tool|tool_name)"\s*:\s*"([^"]*)"|<function=([^>\s]+)>|<(?:antml:|｜DSML｜)?invoke name="([^"]*)"|^<(?:\|tool_call|start_function_call)>\s*call:([\w.-]+)|^<tool_call>\s*([\w.-]+)|(?:to=|^\[TOOL_CALLS\]\s*|<[|｜]tool[▁_]call[▁_]begin[|｜]>)(?:functions?[.:])?([\w-]+)|^(?:\[\s*|```tool_code\s+(?:\[\s*)?(?:print\(\s*)?)([\w.-]+)\(|^<([A-Za-z_]\w*)>\s*<|^Action:[ \t]*([\w.:-]+)\s*\n\s*Action Input:/;

const CLOSERS =
  /<\/(?:(?:seed:|minimax:|longcat_)?tool_calls?|function|(?:｜DSML｜|antml:)?(?:function_calls?|invoke)|TOOLCALL|tools)>|<[|｜](?:\/tool_call|call|action_end|tool_calls?_(?:section_)?end|tool▁calls?▁end)[|｜]>|<tool_call\|>|<end_function_call>/g;

/** Returns the end of a call that cannot be read, or undefined if it breaks off. */
function endOfAttempt(text: string): number | undefined {
  const closer = [...text.matchAll(CLOSERS)].at(-1);
  if (closer !== undefined) return closer.index + closer[0].length;
  const root = /^<([A-Za-z_]\w*)>/.exec(text)?.[1];
  const close = `</${root}>`;
  if (root !== undefined && text.includes(close)) return text.lastIndexOf(close) + close.length;
  const start = text.search(/[[{](?=\s*[{"'\]}])/);
  return start === -1 ? undefined : valueEnd(text, start);
}

function namesTool({ calls }: LeadingCalls, { schemaOf }: TextCallTools): boolean {
  return calls.some(({ written }) => schemaOf(written.name) !== undefined);
}

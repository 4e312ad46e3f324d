import { type PythonCall, pythonCallAt } from './python-value.ts';
import { beginsAfter, type IsTool, type TextCallForm, type WrittenCalls } from './text-call-form.ts';

/** The beginning of a call with named arguments. Its groups are the name and the bracket after it. */
const CALL = String.raw`([A-Za-z_][\w.-]*)(?:$|(\()\s*(?:$|\)|[A-Za-z_]\w*\s*(?:$|=)))`;
const LIST = new RegExp(String.raw`^\[\s*(?:$|${CALL})`);
/** A link of Markdown, which can have a call as its text. */
const LINK = /^\[[^\]\n]*\][([:]/;

/** Llama 3.2, Llama 4, Gemma and others: `[read(path="a.ts"), list()]` and nothing around it. */
export const pythonList: TextCallForm = {
  openers: [],
  canBegin: (text, isTool) => beginsWithTool(LIST, text, isTool) && !LINK.test(text),
  read: (text) => (LINK.test(text) ? undefined : readList(text, 0)),
};

const MARKS = new Map([
  ['<|tool_call_start|>', '<|tool_call_end|>'],
  ['<|python_start|>', '<|python_end|>'],
]);

/** LFM2: `<|tool_call_start|>[read(path="a.ts")]<|tool_call_end|>`. Llama 4 has other marks. */
export const markedPythonList: TextCallForm = {
  openers: [...MARKS.keys()],
  canBegin: beginsAfter([...MARKS.keys()], /^\s*(?:$|\[)/),
  read(text) {
    const [open, close] = [...MARKS].find(([mark]) => text.startsWith(mark)) ?? [];
    if (open === undefined || close === undefined) return undefined;
    const list = readList(text, open.length + blanks(text, open.length));
    if (list === undefined) return undefined;
    const end = list.length + blanks(text, list.length);
    return text.startsWith(close, end) ? { ...list, length: end + close.length } : list;
  },
};

const TAG = '<|python_tag|>';

/** Llama 3: `<|python_tag|>read.call(path="a.ts")`. */
export const pythonTag: TextCallForm = {
  openers: [TAG],
  canBegin: beginsAfter([TAG], new RegExp(String.raw`^\s*(?:$|${CALL})`)),
  read(text) {
    if (!text.startsWith(TAG)) return undefined;
    const call = pythonCallAt(text, TAG.length + blanks(text, TAG.length));
    return call && { calls: [written(call)], length: call.end };
  },
};

const FENCE = '```tool_code';
const IN_FENCE = new RegExp(String.raw`^${FENCE}[ \t]*(?:$|\n\s*(?:$|\[?\s*(?:print\(\s*)?(?:$|${CALL})))`);

/** Gemma 3: calls in a code block `tool_code`, each on a line of its own, or printed. */
export const toolCode: TextCallForm = {
  openers: [],
  canBegin: (text, isTool) =>
    FENCE.startsWith(text) || (IN_FENCE.test(text) && isToolOrUnclear(IN_FENCE, text, isTool)),
  read(text) {
    const body = /^```tool_code[ \t]*\n(.*?)\n[ \t]*```[ \t]*(?=\n|$)/s.exec(text);
    const calls = body?.[1] === undefined ? undefined : callsOf(body[1]);
    return calls === undefined || body === null ? undefined : { calls, length: body[0].length };
  },
};

/** Reads calls of which each is a statement. */
function callsOf(code: string): WrittenCalls['calls'] | undefined {
  const calls: WrittenCalls['calls'] = [];
  for (let at = blanks(code, 0); at < code.length; at += blanks(code, at)) {
    const print = /print\(\s*/y;
    print.lastIndex = at;
    const opening = print.exec(code)?.[0].length ?? 0;
    const read = code.charAt(at) === '[' ? readList(code, at) : readStatement(code, at + opening);
    if (read === undefined) return undefined;
    calls.push(...read.calls);
    at = read.length;
    if (opening === 0) continue;
    at += blanks(code, at);
    if (code.charAt(at) !== ')') return undefined;
    at += 1;
  }
  return calls.length === 0 ? undefined : calls;
}

function readStatement(code: string, at: number): WrittenCalls | undefined {
  const call = pythonCallAt(code, at);
  return call && { calls: [written(call)], length: call.end };
}

/** Reads the list of calls at a place of the text. */
function readList(text: string, start: number): WrittenCalls | undefined {
  if (text.charAt(start) !== '[') return undefined;
  const calls: WrittenCalls['calls'] = [];
  let at = start + 1;
  for (;;) {
    const call = pythonCallAt(text, at + blanks(text, at));
    if (call === undefined) return undefined;
    calls.push(written(call));
    at = call.end + blanks(text, call.end);
    if (text.charAt(at) === ']') return { calls, length: at + 1 };
    if (text.charAt(at) !== ',') return undefined;
    at += 1;
    at += blanks(text, at);
    if (text.charAt(at) === ']') return { calls, length: at + 1 };
  }
}

function written({ name, input }: PythonCall): WrittenCalls['calls'][number] {
  return { name: name.replace(/\.call$/, ''), input };
}

function beginsWithTool(pattern: RegExp, text: string, isTool: IsTool): boolean {
  return pattern.test(text) && isToolOrUnclear(pattern, text, isTool);
}

/** Whether the name that a pattern finds is of a tool, or not complete. */
function isToolOrUnclear(pattern: RegExp, text: string, isTool: IsTool): boolean {
  const [, name, bracket] = pattern.exec(text) ?? [];
  return name === undefined || bracket === undefined || isTool(name);
}

function blanks(text: string, at: number): number {
  const pattern = /\s*/y;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

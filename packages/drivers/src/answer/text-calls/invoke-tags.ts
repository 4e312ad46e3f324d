import {
  beginsAfter,
  type FormTools,
  inputOf,
  type TextCallForm,
  typedValue,
  type WrittenCall,
} from './text-call-form.ts';
import { readWholeCall } from './whole-call.ts';

/** MiniMax, older Claude formats, and DeepSeek V3.2, which puts a marker before each name. */
const MARKERS = ['', 'antml:', '｜DSML｜'];
const MARKER = `(?:${MARKERS.join('|')})`;
const BLOCK_NAME = `(?:minimax:tool_call|${MARKER}function_calls|tool_calls)`;
const BLOCK_OPENING = new RegExp(`^<${BLOCK_NAME}>\\s*`);
const BLOCK_END = new RegExp(`^\\s*</${BLOCK_NAME}>`);
const OPENING = new RegExp(`^\\s*<${MARKER}invoke name="([^"]+)">`);
const CLOSER = new RegExp(`</${MARKER}invoke>`, 'g');
const NEXT = new RegExp(`^\\s*<${MARKER}invoke name=`);
const BLOCK_NEXT = new RegExp(
  `${NEXT.source}|^\\s*$|^\\s*</${BLOCK_NAME}>(?:\\s|<\\|\\w+\\|>|</s>)*(?:$|<${BLOCK_NAME}>)`,
);
const ALONE_NEXT = new RegExp(`${NEXT.source}|^(?:\\s|<\\|\\w+\\|>|</s>)*$`);
const PARAMETER = new RegExp(
  `<${MARKER}parameter name="([^"]+)"([^>]*)>\\n?(.*?)\\n?</${MARKER}parameter>(?=\\s*(?:<${MARKER}parameter |$))`,
  'gs',
);

const BLOCK_OPENERS = [
  '<minimax:tool_call>',
  '<tool_calls>',
  ...MARKERS.map((marker) => `<${marker}function_calls>`),
];
const ALONE_OPENERS = MARKERS.map((marker) => `<${marker}invoke name=`);
const beginsBlock = beginsAfter(BLOCK_OPENERS, /^\s*(?:$|<(?:$|i(?:$|n)|｜|a(?:$|n)))/);
const beginsAlone = beginsAfter(ALONE_OPENERS, /^(?:$|"[^"\n]*(?:$|"(?:$|>\s*(?:$|<(?:$|p|\/|a|｜)))))/);

/** `<invoke name="NAME"><parameter name="KEY">value</parameter></invoke>`, alone or in a block. */
export const invokeTags: TextCallForm = {
  openers: [...BLOCK_OPENERS, ...ALONE_OPENERS],
  canBegin: (text) => beginsBlock(text) || beginsAlone(text),
  read(text, tools) {
    const opening = BLOCK_OPENING.exec(text)?.[0];
    const calls: WrittenCall[] = [];
    let at = opening?.length ?? 0;
    for (;;) {
      const found = readInvoke(text, {
        from: at,
        next: opening === undefined ? ALONE_NEXT : BLOCK_NEXT,
        tools,
      });
      if (found === undefined) break;
      calls.push(found.call);
      at = found.end;
    }
    if (calls.length === 0) return undefined;
    if (opening === undefined) return { calls, length: at };
    const end = BLOCK_END.exec(text.slice(at))?.[0];
    if (end !== undefined) return { calls, length: at + end.length };
    // Servers that stop at the closing tag leave it out.
    return text.slice(at).trim() === '' ? { calls, length: text.length } : undefined;
  },
};

function readInvoke(
  text: string,
  { from, next, tools }: { from: number; next: RegExp; tools: FormTools },
): { call: WrittenCall; end: number } | undefined {
  const [opening, name] = OPENING.exec(text.slice(from)) ?? [];
  if (opening === undefined || name === undefined) return undefined;
  return readWholeCall(text, {
    from: from + opening.length,
    closer: CLOSER,
    next,
    read(body) {
      if (body.replace(PARAMETER, '').trim() !== '') return undefined;
      const input = inputOf(
        [...body.matchAll(PARAMETER)].map(([, key = '', attributes = '', value = '']) => [
          key,
          attributes.includes('string="true"') ? value : typedValue(value, key, tools.schemaOf(name)),
        ]),
      );
      return input && { name, input };
    },
  });
}

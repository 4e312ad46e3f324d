import { beginsAfter, type TextCallForm, typedValue, type WrittenCall } from './text-call-form.ts';

/** MiniMax, older Claude formats, and DeepSeek V3.2, which puts a marker before each name. */
const MARKER = '(?:｜DSML｜|antml:)?';
const BLOCK = new RegExp(
  `^<(?:minimax:tool_call|${MARKER}function_calls|tool_calls)>\\s*((?:<${MARKER}invoke .*?</${MARKER}invoke>\\s*)+)</(?:minimax:tool_call|${MARKER}function_calls|tool_calls)>`,
  's',
);
const ALONE = new RegExp(`^<${MARKER}invoke .*?</${MARKER}invoke>`, 's');
const INVOKE = new RegExp(`<${MARKER}invoke name="([^"]+)">(.*?)</${MARKER}invoke>`, 'gs');
const PARAMETER = new RegExp(
  `<${MARKER}parameter name="([^"]+)"([^>]*)>\\n?(.*?)\\n?</${MARKER}parameter>(?=\\s*(?:<${MARKER}parameter |$))`,
  'gs',
);

const BLOCK_OPENERS = ['<minimax:tool_call>', '<function_calls>', '<tool_calls>', '<｜DSML｜function_calls>'];
const beginsBlock = beginsAfter(BLOCK_OPENERS, /^\s*(?:$|<(?:$|i(?:$|n)|｜|antml))/);
const beginsAlone = beginsAfter(['<invoke name='], /^(?:$|"[^"\n]*(?:$|"(?:$|>\s*(?:$|<(?:$|p|\/)))))/);

/** `<invoke name="NAME"><parameter name="KEY">value</parameter></invoke>`, alone or in a block. */
export const invokeTags: TextCallForm = {
  openers: [...BLOCK_OPENERS, '<invoke name='],
  canBegin: (text) => beginsBlock(text) || beginsAlone(text),
  read(text, { schemaOf }) {
    const whole = (BLOCK.exec(text) ?? ALONE.exec(text))?.[0];
    if (whole === undefined) return undefined;
    const calls: WrittenCall[] = [];
    for (const [, name = '', body = ''] of whole.matchAll(INVOKE)) {
      if (body.replace(PARAMETER, '').trim() !== '') return undefined;
      const parameters = [...body.matchAll(PARAMETER)].map(([, key = '', attributes = '', value = '']) => [
        key,
        attributes.includes('string="true"') ? value : typedValue(value, key, schemaOf(name)),
      ]);
      calls.push({ name, input: Object.fromEntries(parameters) });
    }
    return calls.length === 0 ? undefined : { calls, length: whole.length };
  },
};

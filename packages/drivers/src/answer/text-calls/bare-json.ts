import { isObject, type JsonValue } from '@longhaul/protocol';
import { valueEnd } from '../loose-json.ts';
import { callsIn, type IsTool, type TextCallForm } from './text-call-form.ts';

/** Calls as JSON without anything around them: `{"name": "read", "arguments": {…}}`. */
export const bareJson: TextCallForm = {
  openers: [],
  canBegin: canBeBareCall,
  read(text, tools) {
    const end = valueEnd(text, 0);
    const value = end === undefined ? undefined : listed(tools.parse(text.slice(0, end)));
    const calls = hasArguments(value) ? callsIn(value, tools) : undefined;
    return calls === undefined || end === undefined ? undefined : { calls, length: end };
  },
};

/** Returns the list in `{"tool_calls": […]}`, in the form of the API. */
function listed(value: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(value) || !Array.isArray(value['tool_calls'])) return value;
  return Object.keys(value).every((key) => MESSAGE_FIELDS.includes(key)) ? value['tool_calls'] : value;
}

const MESSAGE_FIELDS = ['tool_calls', 'role', 'content'];

/** Whether every object names arguments: `{"name": "read"}` can be anything. */
function hasArguments(value: JsonValue | undefined): boolean {
  const entries = Array.isArray(value) ? value : [value];
  return entries.every((entry) => {
    const call = isObject(entry) && isObject(entry['function']) ? entry['function'] : entry;
    return isObject(call) && ARGUMENTS.some((key) => call[key] !== undefined);
  });
}

const ARGUMENTS = ['arguments', 'parameters', 'input', 'args'];

/** The beginning of a text that can become calls as JSON. */
const BEGINNING = /^(?:\[\s*)?(?:\{\s*(?:"[a-z_]{0,10}"?\s*:?\s*(?:"[a-z_]{0,13}"?)?)?)?$/;
const CALL_BEGINNING =
  /^(?:\[\s*)?\{\s*(?:"(?:name|tool|tool_name|function|arguments|parameters|tool_calls|role)"\s*:|"type"\s*:\s*"(?:function|function_call|tool_call|tool_use)"|"(?:id|call_id)"\s*:\s*"(?:toolu|call)_)/;
/** Finds the name of a call. */
const NAMED = /"(?:name|tool|tool_name)"\s*:\s*"([^"]*)"/;

function canBeBareCall(text: string, isTool: IsTool): boolean {
  if (!CALL_BEGINNING.test(text)) return BEGINNING.test(text);
  const name = NAMED.exec(text)?.[1];
  return name === undefined || isTool(name);
}

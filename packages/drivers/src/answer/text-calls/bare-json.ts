import { valueEnd } from '../loose-json.ts';
import { callsIn, type TextCallForm } from './text-call-form.ts';

/** An answer that consists of calls as JSON and nothing else: `{"name": "read", "arguments": {…}}`. */
export const bareJson: TextCallForm = {
  openers: [],
  read(text, tools) {
    const end = valueEnd(text, 0);
    const calls = end === undefined ? undefined : callsIn(tools.parse(text.slice(0, end)), tools);
    return calls === undefined || end === undefined ? undefined : { calls, length: end };
  },
};

/** The beginning of an answer that can become calls as JSON. */
const BEGINNING = /^\s*(?:\[\s*)?(?:\{\s*(?:"[a-z_]{0,10}"?\s*:?\s*(?:"[a-z]{0,8}"?)?)?)?$/;
const CALL_BEGINNING =
  /^\s*(?:\[\s*)?\{\s*(?:"(?:name|tool|tool_name|function|arguments|parameters)"\s*:|"type"\s*:\s*"function")/;
/** Finds the name of a call. */
const NAMED = /"(?:name|tool|tool_name)"\s*:\s*"([^"]*)"/;

/**
 * Whether an answer can be calls as JSON. `unclear`: more of it is needed.
 *
 * @param isTool Whether a name means a tool.
 */
export function isBareCall(answer: string, isTool: (name: string) => boolean): boolean | 'unclear' {
  if (!CALL_BEGINNING.test(answer)) return BEGINNING.test(answer) ? 'unclear' : false;
  const name = NAMED.exec(answer)?.[1];
  return name === undefined ? 'unclear' : isTool(name);
}

import { isObject } from '@longhaul/protocol';
import { valueEnd } from '../loose-json.ts';
import type { TextCallForm } from './text-call-form.ts';

const START = 'Action:';
const NAMED = /^Action:[ \t]*(?:$|([\w.:-]+)[ \t]*(?:$|(\r?\n)(.*)))/s;
const INPUT = 'Action Input:';
const CALL = /^Action:[ \t]*([\w.:-]+)[ \t]*\r?\n\s*Action Input:\s*(?:```(?:json)?\s*)?(?=\{)/;

/** ReAct: `Action: read`, and `Action Input: {"path": "a.ts"}` on the next line. */
export const reactAction: TextCallForm = {
  openers: [],
  canBegin(text, isTool) {
    if (START.startsWith(text)) return true;
    const [whole, name, lineEnd, rest = ''] = NAMED.exec(text) ?? [];
    if (whole === undefined || name === undefined || lineEnd === undefined) return whole !== undefined;
    const next = rest.trimStart();
    return isTool(name) && (INPUT.startsWith(next) || /^Action Input:\s*(?:$|\{|`)/.test(next));
  },
  read(text, { parse }) {
    const match = CALL.exec(text);
    const end = match === null ? undefined : valueEnd(text, match[0].length);
    if (match === null || end === undefined) return undefined;
    const input = parse(text.slice(match[0].length, end));
    // Models begin the result, which their server stops.
    const after = /^\s*(?:```)?(?:\s*Observation:\s*$)?/.exec(text.slice(end))?.[0] ?? '';
    return isObject(input)
      ? { calls: [{ name: match[1] ?? '', input }], length: end + after.length }
      : undefined;
  },
};

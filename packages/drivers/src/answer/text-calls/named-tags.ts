import { isObject, type JsonValue } from '@longhaul/protocol';
import { type FormTools, type TextCallForm, typedValue } from './text-call-form.ts';

const BEGINNING = /^<(?:$|([A-Za-z_]\w*)(?:$|(>)\s*(?:$|<(?:$|[A-Za-z_]))))/;

/** The prompts of Cline and Roo: `<read_file><path>a.ts</path></read_file>`. */
export const namedTags: TextCallForm = {
  openers: [],
  canBegin(text, isTool) {
    const [whole, name, end] = BEGINNING.exec(text) ?? [];
    return whole !== undefined && (name === undefined || end === undefined || isTool(name));
  },
  read(text, tools) {
    const name = /^<([A-Za-z_]\w*)>\s*(?=<)/.exec(text)?.[1];
    if (name === undefined || tools.schemaOf(name) === undefined) return undefined;
    const close = `</${name}>`;
    const input: Record<string, JsonValue> = {};
    let at = name.length + 2;
    for (;;) {
      at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
      if (text.startsWith(close, at)) break;
      const key = /^<([A-Za-z_]\w*)>/.exec(text.slice(at, at + 80))?.[1];
      const end = key === undefined ? undefined : endOfValue(text, { from: at, key, close });
      if (key === undefined || end === undefined) return undefined;
      const value = text
        .slice(at + key.length + 2, end)
        .replace(/^\r?\n/, '')
        .replace(/\r?\n$/, '');
      input[key] = typedValue(value, key, tools.schemaOf(name));
      at = end + key.length + 3;
    }
    if (!hasKnownKey(name, Object.keys(input), tools)) return undefined;
    return { calls: [{ name, input }], length: at + close.length };
  },
};

/** Returns the end of a value: its closing tag, before the next parameter or the end of the call. */
function endOfValue(
  text: string,
  { from, key, close }: { from: number; key: string; close: string },
): number | undefined {
  const tag = `</${key}>`;
  for (let at = text.indexOf(tag, from); at !== -1; at = text.indexOf(tag, at + 1)) {
    const next = text.slice(at + tag.length).trimStart();
    if (next.startsWith(close) || /^<[A-Za-z_]\w*>/.test(next)) return at;
  }
  return undefined;
}

/** A tool without required parameters accepts anything, so that its name alone does not make HTML a call. */
function hasKnownKey(name: string, keys: readonly string[], { schemaOf }: FormTools): boolean {
  const parameters = schemaOf(name)?.parameters;
  if (parameters === undefined || keys.length === 0) return false;
  const { properties, required } = parameters;
  if (Array.isArray(required) && required.length > 0) return true;
  return isObject(properties) && keys.some((key) => properties[key] !== undefined);
}

import { isObject, type JsonObject, type JsonValue, type ToolPart } from '@longhaul/protocol';
import { diffOfNewText, diffOfTexts, type FileDiff, readFilePatches, readHunks } from './diff-model.ts';
import { textField } from './tool-kind.ts';

const PATCH = ['patch', 'input', 'patch_text'];
const OLD = ['old', 'old_string', 'old_str', 'old_text'];
const NEW = ['new', 'new_string', 'new_str', 'new_text'];
const CONTENT = ['content', 'contents', 'file_text', 'text'];

/**
 * What a call changes in files. The recorded patch has the numbers of the lines; while the call runs, and for calls
 * without one, the change is read from the arguments. Empty if neither says what changes.
 */
export function diffsOfCall(part: Pick<ToolPart, 'input' | 'metadata'>): readonly FileDiff[] {
  const { input, metadata } = part;
  const files = metadata?.['files'];
  const isOneFile = !Array.isArray(files) || files.length === 1;
  const recorded = textField(metadata, 'patch');
  if (recorded !== undefined && isOneFile) return [{ label: undefined, lines: readHunks(recorded) }];
  const patch = textField(input, ...PATCH) ?? (typeof input === 'string' ? input : undefined);
  if (patch?.includes('*** ') === true) return readFilePatches(patch);
  if (recorded !== undefined) return [{ label: undefined, lines: readHunks(recorded) }];
  const edits = isObject(input) ? input['edits'] : undefined;
  if (Array.isArray(edits)) return edits.flatMap((edit) => replacement(edit));
  return replacement(input);
}

type Argument = readonly [name: string, value: JsonValue];

/** The arguments of a call that `diffsOfCall` does not show, such as the path of the file. */
export function argumentsBesideDiffs(input: JsonValue): readonly Argument[] {
  if (!isObject(input)) return [];
  const [patch] = namesIn(input, PATCH);
  if (patch !== undefined && textField(input, patch)?.includes('*** ') === true)
    return Object.entries(input).filter(([name]) => name !== patch);
  const { edits, ...others } = input;
  if (!Array.isArray(edits)) return besideReplacement(input);
  const besideEdits = edits.flatMap((edit, index): readonly Argument[] =>
    isObject(edit)
      ? besideReplacement(edit)
          .filter(saysMore)
          .map(([name, value]): Argument => [`edits[${index}].${name}`, value])
      : [[`edits[${index}]`, edit]],
  );
  return [...Object.entries(others), ...besideEdits];
}

/** The agent's own tool has `all` in each edit. False is what a person expects. */
function saysMore([name, value]: Argument): boolean {
  return name !== 'all' || value !== false;
}

function besideReplacement(input: JsonObject): readonly Argument[] {
  const replaced = [...namesIn(input, OLD), ...namesIn(input, NEW)];
  const shown = new Set(replaced.length > 0 ? replaced : namesIn(input, CONTENT));
  return Object.entries(input).filter(([name]) => !shown.has(name));
}

/** The first of these names whose field is a text, which is the one that `textField` reads. */
function namesIn(input: JsonObject, names: readonly string[]): readonly string[] {
  return names.filter((name) => typeof input[name] === 'string').slice(0, 1);
}

/** Whether the recorded patch is only the beginning of the change. */
export function isDiffCut({ metadata }: ToolPart): boolean {
  return metadata?.['patchCut'] === true;
}

function replacement(value: JsonValue): FileDiff[] {
  const old = textField(value, ...OLD);
  const text = textField(value, ...NEW);
  if (old !== undefined || text !== undefined)
    return [{ label: undefined, lines: diffOfTexts(old ?? '', text ?? '') }];
  const content = textField(value, ...CONTENT);
  return content === undefined ? [] : [{ label: undefined, lines: diffOfNewText(content) }];
}

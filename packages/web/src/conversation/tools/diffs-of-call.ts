import { isObject, type JsonValue, type ToolPart } from '@longhaul/protocol';
import { diffOfNewText, diffOfTexts, type FileDiff, readFilePatches, readHunks } from './diff-model.ts';
import { textField } from './tool-kind.ts';

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
  const patch =
    textField(input, 'patch', 'input', 'patch_text') ?? (typeof input === 'string' ? input : undefined);
  if (patch?.includes('*** ') === true) return readFilePatches(patch);
  if (recorded !== undefined) return [{ label: undefined, lines: readHunks(recorded) }];
  const edits = isObject(input) ? input['edits'] : undefined;
  if (Array.isArray(edits)) return edits.flatMap((edit) => replacement(edit));
  return replacement(input);
}

/** Whether the recorded patch is only the beginning of the change. */
export function isDiffCut({ metadata }: ToolPart): boolean {
  return metadata?.['patchCut'] === true;
}

function replacement(value: JsonValue): FileDiff[] {
  const old = textField(value, 'old', 'old_string', 'old_str', 'old_text');
  const text = textField(value, 'new', 'new_string', 'new_str', 'new_text');
  if (old !== undefined || text !== undefined)
    return [{ label: undefined, lines: diffOfTexts(old ?? '', text ?? '') }];
  const content = textField(value, 'content', 'contents', 'file_text', 'text');
  return content === undefined ? [] : [{ label: undefined, lines: diffOfNewText(content) }];
}

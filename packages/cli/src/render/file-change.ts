import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/** What a call of `edit` or `write` asks to change in a file. */
export interface AskedChange {
  path: string;
  edits: readonly TextChange[];
}

export interface TextChange {
  before: string;
  after: string;
  /** Every place with the text is replaced. */
  isEvery: boolean;
}

/** Returns the change, or undefined for another tool, or if any argument is not part of a change. */
export function fileChange(toolName: string, args: JsonValue): AskedChange | undefined {
  if (!isObject(args) || typeof args['path'] !== 'string') return undefined;
  const { path, ...others } = args;
  const edits = toolName === 'write' ? written(others) : toolName === 'edit' ? edited(others) : undefined;
  return edits === undefined ? undefined : { path, edits };
}

function written({ content, ...others }: JsonObject): TextChange[] | undefined {
  if (typeof content !== 'string' || Object.keys(others).length > 0) return undefined;
  return [{ before: '', after: content, isEvery: false }];
}

function edited({ edits, ...one }: JsonObject): TextChange[] | undefined {
  if (edits === undefined) return changesOf([one]);
  return Array.isArray(edits) && Object.keys(one).length === 0 ? changesOf(edits) : undefined;
}

function changesOf(edits: readonly JsonValue[]): TextChange[] | undefined {
  const changes = edits.flatMap((edit): TextChange[] => {
    if (!isObject(edit)) return [];
    const { old: before, new: after, all = false, ...others } = edit;
    const isWhole = typeof before === 'string' && typeof after === 'string' && typeof all === 'boolean';
    return isWhole && Object.keys(others).length === 0 ? [{ before, after, isEvery: all }] : [];
  });
  return changes.length === edits.length && changes.length > 0 ? changes : undefined;
}

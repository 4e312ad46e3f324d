import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { isObject, type JsonValue } from '@longhaul/protocol';
import { diffsOf } from '../updates/file-diffs.ts';
import { fenced, textContent } from '../updates/tool-content.ts';
import { absolute } from '../updates/tool-facts.ts';

/** Returns what a call would do, for the person who decides: the change of a file, else all arguments. */
export function proposedContent(folder: string, toolName: string, args: JsonValue): ToolCallContent[] {
  const diffs = toolName === 'edit' ? editDiffs(folder, args) : diffsOf(folder, { toolName, args });
  if (diffs.length > 0) return diffs;
  const { command, ...others } = isObject(args) ? args : { command: undefined };
  const isCommand = typeof command === 'string';
  const rest = isCommand ? others : args;
  const isEmpty = isObject(rest) && Object.keys(rest).length === 0;
  return [
    ...(isCommand ? [textContent(fenced(command, 'sh'))] : []),
    ...(isEmpty ? [] : [textContent(fenced(JSON.stringify(rest, null, 2), 'json'))]),
  ];
}

function editDiffs(folder: string, args: JsonValue): ToolCallContent[] {
  if (!isObject(args) || typeof args['path'] !== 'string') return [];
  const path = absolute(folder, args['path']);
  const edits = Array.isArray(args['edits']) ? args['edits'] : [args];
  return edits.flatMap((edit): ToolCallContent[] => {
    const { old, new: text } = isObject(edit) ? edit : {};
    if (typeof old !== 'string' || typeof text !== 'string') return [];
    return [{ type: 'diff', path, oldText: old, newText: text }];
  });
}

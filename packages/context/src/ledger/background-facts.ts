import { isObject, isTextList, type Message, type ToolPart } from '@longhaul/protocol';

/** Returns what a call says about a command in the background. `handle` names the command. */
export function backgroundOf({ metadata }: ToolPart): { handle: string; runs: boolean } | undefined {
  const stated = metadata?.['background'];
  if (!isObject(stated)) return undefined;
  const { handle, runs } = stated;
  return typeof handle === 'string' && typeof runs === 'boolean' ? { handle, runs } : undefined;
}

/** Returns the handles of the commands whose end a note of the runtime reports. */
export function endedInBackground({ metadata }: Message): readonly string[] {
  const ended = metadata?.synthetic === 'background' ? metadata['ended'] : undefined;
  return isTextList(ended) ? ended : [];
}

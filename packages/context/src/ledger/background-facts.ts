import { isObject, isTextList, type Message, originsOf, subtaskOf, type ToolPart } from '@longhaul/protocol';

/** Returns what a call says about a command in the background. `handle` names the command. */
export function backgroundOf({ metadata }: ToolPart): { handle: string; runs: boolean } | undefined {
  const stated = metadata?.['background'];
  if (!isObject(stated)) return undefined;
  const { handle, runs } = stated;
  return typeof handle === 'string' && typeof runs === 'boolean' ? { handle, runs } : undefined;
}

/** Returns what the child session of a call does, if it works in the background. */
export function taskInBackground(part: ToolPart): string | undefined {
  const facts = subtaskOf(part);
  if (facts?.isBackground !== true || !isObject(part.input)) return undefined;
  const { prompt } = part.input;
  return `${facts.agent}: ${typeof prompt === 'string' ? prompt : ''}`;
}

/** Returns the handles of the commands whose end a note of the runtime reports. */
export function endedInBackground({ metadata }: Message): readonly string[] {
  const ended = metadata?.synthetic === 'background' ? metadata['ended'] : undefined;
  return isTextList(ended) ? ended : [];
}

/** Returns the handles of the calls whose child sessions have delivered their results in a message. */
export function deliveredTasks(message: Message): readonly string[] {
  return originsOf(message).flatMap(({ kind, handle }) =>
    kind === 'subtask' && handle !== undefined ? [handle] : [],
  );
}

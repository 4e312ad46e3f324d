import type { UserMessageContentPart } from '@longhaul/protocol';
import type { AcpCommand } from '../acp-options.ts';

export interface TypedCommand {
  command: AcpCommand;
  /** What follows the name, without blanks around it. */
  words: string;
}

/** Returns the command that a prompt is. Undefined for other prompts, also those that begin with a path. */
export function typedCommand(
  content: readonly UserMessageContentPart[],
  commands: readonly AcpCommand[],
): TypedCommand | undefined {
  if (content.some(({ type }) => type !== 'text')) return undefined;
  const text = content
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n')
    .trim();
  const [, name, words = ''] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const command = commands.find((each) => each.name === name);
  return command === undefined ? undefined : { command, words: words.trim() };
}

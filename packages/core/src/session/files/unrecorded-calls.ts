import { handleOf, type Message, type ToolPart } from '@longhaul/protocol';

const MAX_NAMED = 10;
const MAX_CHARS = 120;

/**
 * Returns the calls whose effects on files are not in the tree that was recorded last, one line each: their process died
 * before it could record them.
 *
 * @param through Sequence of the last message whose calls are in the tree. Undefined: nothing was recorded.
 */
export function unrecordedCalls(
  messages: readonly Message[],
  { through = 0, mayWrite }: { through?: number | undefined; mayWrite: (toolName: string) => boolean },
): string[] {
  const lines = messages.flatMap(({ sequence, parts }) =>
    sequence <= through
      ? []
      : parts.flatMap((part, index) =>
          part.type === 'tool' && part.startedAt !== undefined && mayWrite(part.name)
            ? [`- ${handleOf(sequence, index)}: ${part.name} ${shortInput(part)}`]
            : [],
        ),
  );
  const more = lines.length - MAX_NAMED;
  return more <= 0 ? lines : [...lines.slice(0, MAX_NAMED), `- and ${more} more`];
}

function shortInput({ input }: ToolPart): string {
  const text = JSON.stringify(input);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}

import { LonghaulError } from '@longhaul/protocol';
import { INTERRUPTED_RESULT, textOfOutput } from '../view.ts';
import type { ViewMessage } from '../view-message.ts';
import type { MessageFormat, PartChange } from './message-format.ts';
import type { Group, Place } from './message-group.ts';
import { rewriteProblem } from './rewrite-problem.ts';
import { isSame } from './same-message.ts';
import { validReading } from './valid-reading.ts';

interface GroupOptions<M> {
  format: MessageFormat<M>;
  /** Returns the index of a message in the session. */
  indexOf: (native: M) => number;
}

/** Copies only messages with a cut or pruned part, and answers calls without a result. */
export function shownGroup<M>(
  { message, natives, places, results }: Group<M>,
  shown: ViewMessage,
  { format, indexOf }: GroupOptions<M>,
): M[] {
  const changes = new Map<number, Map<number, PartChange>>();
  const change = (place: Place | undefined, value: PartChange) => {
    if (place === undefined) return;
    const { native, index } = place;
    const ofNative = changes.get(native) ?? new Map<number, PartChange>();
    changes.set(native, ofNative.set(index, value));
  };
  const missing: M[] = [];
  for (const [index, part] of message.parts.entries()) {
    const content = shown.content[index];
    if (part.type === 'text' && content?.type === 'text' && content.text !== part.text)
      change(places[index], { text: content.text });
    if (part.type !== 'tool' || content?.type !== 'tool') continue;
    if (!isSame(part.input, content.input)) change(places[index], { input: content.input });
    const result = results.get(index);
    if (result === undefined) missing.push(format.toolMessage(part, INTERRUPTED_RESULT));
    else if (content.output !== part.output) change(result, { text: textOfOutput(content.output) });
  }
  const rewritten = natives.map((native, index) => {
    const ofNative = changes.get(index);
    return ofNative === undefined ? native : changedMessage(native, ofNative, { format, indexOf });
  });
  return [...rewritten, ...missing];
}

/** @throws {LonghaulError} `invalid_request` if the format made other changes: the request would not have the size that was decided. */
function changedMessage<M>(
  native: M,
  changes: ReadonlyMap<number, PartChange>,
  { format, indexOf }: GroupOptions<M>,
): M {
  const index = indexOf(native);
  const rewritten = format.rewrite(native, changes);
  const before = validReading(format.read(native), index);
  const problem = rewriteProblem(before, validReading(format.read(rewritten), index), changes);
  if (problem === undefined) return rewritten;
  throw new LonghaulError(
    'invalid_request',
    `The format's rewrite of message ${index} is wrong: ${problem}. Test the format with checkFormat() of @longhaul/context/check-format.`,
    { data: { messageIndex: index } },
  );
}

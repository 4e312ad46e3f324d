import type { ListedMessage } from '@longhaul/protocol/api';

/** Says what the model no longer sees of a part. */
export function PartMark({
  visibility: { prunedParts, cutParts, omittedParts },
  index,
}: {
  visibility: ListedMessage['visibility'];
  index: number;
}) {
  const words = [
    prunedParts.includes(index) && 'Pruned: the model sees a placeholder in place of this output.',
    cutParts.includes(index) && 'Cut: the model does not see the middle of this text.',
    omittedParts.includes(index) && 'Omitted: the model does not see this, because its server refused it.',
  ].filter((each) => each !== false);
  if (words.length === 0) return null;
  return <p className="part-mark quiet">{words.join(' ')}</p>;
}

import './markdown.css';
import { memo, useEffect, useState } from 'react';
import { BlockView } from './block-view.tsx';
import { type Block, Blocks } from './blocks.ts';

/** How much of a long text is read and shown in one task. */
const SLICE_CHARS = 6_000;
const MAX_KEPT = 20;
/** Long texts that were read, so that scrolling back to one shows it at once. */
const kept = new Map<string, Blocks>();

/**
 * Markdown of a model. HTML in it is shown as text: no element is ever made from it. While text arrives, only the
 * blocks at its end are read and rendered again. A long text appears in slices.
 */
export const Markdown = memo(function Markdown({ text, isRunning }: { text: string; isRunning: boolean }) {
  const [blocks] = useState(() => kept.get(text) ?? new Blocks());
  const length = useShownLength(text);
  const isWhole = length >= text.length;
  useEffect(() => {
    if (!isRunning && isWhole && text.length > SLICE_CHARS) keep(text, blocks);
  }, [text, isRunning, isWhole, blocks]);
  const isOpen = isRunning || !isWhole;
  const shown = blocks.read(isWhole ? text : text.slice(0, length), { isRunning: isOpen });
  return (
    <div className="markdown">
      {shown.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <KeptBlock key={index} block={block} isOpen={isOpen && index >= shown.length - 1} />
      ))}
    </div>
  );
});

/** Grows by a slice in each task, until it has reached the text. From then on, it is endless. */
function useShownLength(text: string): number {
  const [length, setLength] = useState(kept.has(text) ? Number.POSITIVE_INFINITY : SLICE_CHARS);
  const isBehind = length < text.length;
  useEffect(() => {
    if (length === Number.POSITIVE_INFINITY) return;
    const next = isBehind ? length + SLICE_CHARS : Number.POSITIVE_INFINITY;
    const timer = setTimeout(() => setLength(next));
    return () => clearTimeout(timer);
  }, [length, isBehind]);
  return length;
}

function keep(text: string, blocks: Blocks): void {
  kept.delete(text);
  kept.set(text, blocks);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}

const KeptBlock = memo(
  ({ block, isOpen }: { block: Block; isOpen: boolean }) => <BlockView token={block} isOpen={isOpen} />,
  (a, b) => a.isOpen === b.isOpen && (a.block === b.block || a.block.raw === b.block.raw),
);

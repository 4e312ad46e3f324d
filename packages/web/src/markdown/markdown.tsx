import './markdown.css';
import type { Token } from 'marked';
import { memo, useRef } from 'react';
import { BlockView } from './block-view.tsx';
import { Blocks } from './blocks.ts';

/**
 * Markdown of a model. HTML in it is shown as text: no element is ever made from it. While text arrives, only the
 * blocks at its end are read and rendered again.
 */
export function Markdown({ text, isRunning }: { text: string; isRunning: boolean }) {
  const blocks = useRef<Blocks>(undefined);
  blocks.current ??= new Blocks();
  return (
    <div className="markdown">
      {blocks.current.read(text, { isRunning }).map((token, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <Block key={index} token={token} />
      ))}
    </div>
  );
}

const Block = memo(
  ({ token }: { token: Token }) => <BlockView token={token} />,
  (a, b) => a.token === b.token || a.token.raw === b.token.raw,
);

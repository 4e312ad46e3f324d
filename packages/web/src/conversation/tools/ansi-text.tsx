import './ansi-text.css';
import { showDirections } from '@longhaul/protocol';
import { memo } from 'react';
import { readAnsi } from './ansi.ts';

/** Output of a program with its colours. */
export const AnsiText = memo(function AnsiText({ text }: { text: string }) {
  return readAnsi(text).map(({ text: piece, className }, index) =>
    className === '' ? (
      showDirections(piece)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of an output do not move
      <span key={index} className={className}>
        {piece}
      </span>
    ),
  );
});

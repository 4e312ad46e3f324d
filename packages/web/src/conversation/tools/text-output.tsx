import { lazy, Suspense, useState } from 'react';
import { plural } from '../../ui/format.ts';
import { AnsiText } from './ansi-text.tsx';

const WholeOutput = lazy(async () => ({ default: (await import('./whole-output.tsx')).WholeOutput }));

/** A longer text is shown in part, and as a whole in a dialog. */
const MAX_CHARS = 32_000;

interface TextOutputProps {
  text: string;
  /** Reference to the whole text, if `text` is a part of it. */
  full?: string | undefined;
  isBad?: boolean;
}

/** The text that a tool returned. */
export function TextOutput({ text, full, isBad = false }: TextOutputProps) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > MAX_CHARS;
  if (text.trim() === '' && full === undefined) return null;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard */}
      <pre className={`tool-output ${isBad ? 'bad' : ''}`} tabIndex={0}>
        <AnsiText text={isLong ? text.slice(0, MAX_CHARS) : text} />
      </pre>
      {isLong && (
        <p className="tool-note quiet">
          {plural(text.length - MAX_CHARS, 'further character')} are not shown here.
        </p>
      )}
      {(isLong || full !== undefined) && (
        <p className="tool-note">
          <button type="button" className="button small" onClick={() => setOpen(true)}>
            Show the whole output
          </button>
        </p>
      )}
      {isOpen && (
        <Suspense>
          <WholeOutput full={full} text={text} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

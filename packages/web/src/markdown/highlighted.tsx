import './highlighted.css';
import { memo, useEffect, useState } from 'react';
import { highlighter } from './highlight/highlight.ts';
import type { Language } from './highlight/language-names.ts';
import type { Line } from './highlight/messages.ts';

/** Lines are rendered in groups, so that text at the end changes one group only. */
const GROUP_LINES = 50;
/** Longer code has no colours: its elements would be too many. */
const MAX_CHARS = 60_000;

/** Code with colours, once they are known. Until then, and for other languages, as text. */
export function Highlighted({
  code,
  language,
  isOpen = false,
}: {
  code: string;
  language: Language | undefined;
  /** Code that is still being written has no colours. */
  isOpen?: boolean;
}) {
  const coloured = useColoured(code, isOpen || code.length > MAX_CHARS ? undefined : language);
  const lines = code.split('\n');
  const groups = Array.from({ length: Math.ceil(lines.length / GROUP_LINES) }, (_, group) => group);
  return (
    <code className="code">
      {groups.map((group) => {
        const [from, to] = [group * GROUP_LINES, (group + 1) * GROUP_LINES];
        const isColoured = coloured.length >= Math.min(to, lines.length);
        const text = lines.slice(from, to).join('\n') + (to < lines.length ? '\n' : '');
        return <Group key={group} text={text} lines={isColoured ? coloured.slice(from, to) : undefined} />;
      })}
    </code>
  );
}

function useColoured(code: string, language: Language | undefined): readonly Line[] {
  const [found, setFound] = useState<{ code: string; lines: readonly Line[] }>();
  const known = language === undefined ? NONE : highlighter.known(code, language);
  useEffect(() => {
    if (language === undefined || known !== undefined) return;
    return highlighter.request(code, language, (lines) => setFound({ code, lines }));
  }, [code, language, known]);
  return known ?? (found?.code === code ? found.lines : NONE);
}

const NONE: readonly Line[] = [];

const Group = memo(
  ({ text, lines }: { text: string; lines: readonly Line[] | undefined }) => (
    <span className="code-group">{lines === undefined ? text : lines.map(lineOf)}</span>
  ),
  (a, b) => a.text === b.text && (a.lines === undefined) === (b.lines === undefined),
);

function lineOf(line: Line, index: number) {
  return (
    <span key={index}>
      {line.map(([text, kind], piece) =>
        kind === '' ? (
          text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not change
          <span key={piece} className={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
      {'\n'}
    </span>
  );
}

import { useLoaded } from '../data/use-loaded.ts';
import { LoadedView } from '../ui/loaded-view.tsx';

/** More would make the page slow. The download has all of it. */
const MAX_CHARS = 200_000;

/** The text of a file. Bytes that are not text are not shown. */
export function RecordedFile({ content }: { content: Blob }) {
  const loaded = useLoaded(`${content.size}`, async () => ({ text: await textOf(content) }));
  return (
    <LoadedView loaded={loaded}>
      {({ text }) =>
        text === undefined ? (
          <p className="quiet">This file is not text.</p>
        ) : (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long file is scrolled with the keyboard */}
            <pre className="recorded-text" tabIndex={0}>
              {text.slice(0, MAX_CHARS)}
            </pre>
            {text.length > MAX_CHARS && <p className="quiet">The rest is in the download.</p>}
          </>
        )
      }
    </LoadedView>
  );
}

/** Undefined for bytes that are not UTF-8, or contain NUL. */
export async function textOf(content: Blob): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await content.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

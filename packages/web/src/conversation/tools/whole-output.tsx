import './whole-output.css';
import { parseBlobReference, toLonghaulError } from '@longhaul/protocol';
import { use, useEffect, useState } from 'react';
import { useServer } from '../../data/server.ts';
import { SessionContext } from '../../data/use-session.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { plural } from '../../ui/format.ts';
import { Modal } from '../../ui/modal.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { AnsiText } from './ansi-text.tsx';

const GROUP_LINES = 200;
/** The rest is only in the download. */
const MAX_BYTES = 2_000_000;

interface WholeOutputProps {
  /** Reference to the blob of the whole text. */
  full: string | undefined;
  /** The text, if there is no blob. */
  text: string;
  onClose: () => void;
}

/** The whole output of a tool in a dialog. */
export function WholeOutput({ full, text, onClose }: WholeOutputProps) {
  const { content, problem } = useContent({ full, text });
  return (
    <Modal title="Whole output" isOpen onClose={onClose} size="wide">
      {problem !== undefined && <p role="alert">The output cannot be read: {problem}</p>}
      {content === undefined && problem === undefined && <p className="quiet">Loading…</p>}
      {content !== undefined && <Shown content={content} />}
    </Modal>
  );
}

function Shown({ content }: { content: Blob }) {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let isGone = false;
    void content
      .slice(0, MAX_BYTES)
      .text()
      .then((read) => !isGone && setText(read));
    return () => {
      isGone = true;
    };
  }, [content]);
  return (
    <>
      <p className="whole-output-head">
        <span className="quiet">{plural(content.size, 'byte')}</span>
        <CopyButton text={() => content.text()} what="output" />
        <button type="button" className="button small" onClick={() => saveFile(content, 'output.txt')}>
          Download
        </button>
      </p>
      {content.size > MAX_BYTES && <p>The output is long. The download has all of it.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard */}
      <pre className="whole-output" tabIndex={0}>
        {groupsOf(text ?? '').map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups of lines do not move
          <span key={index} className="whole-output-group">
            <AnsiText text={group} />
          </span>
        ))}
      </pre>
    </>
  );
}

interface Loaded {
  content?: Blob;
  problem?: string;
}

function useContent({ full, text }: Omit<WholeOutputProps, 'onClose'>): Loaded {
  const { client } = useServer();
  const sessionId = use(SessionContext)?.id;
  const [state, setState] = useState<Loaded>({});
  useEffect(() => {
    const ends = new AbortController();
    const read = async (): Promise<Loaded> => {
      if (full === undefined) return { content: new Blob([text], { type: BYTES }) };
      const id = parseBlobReference(full);
      if (id === undefined) return { problem: 'its reference is not valid.' };
      const blob = await client.blob(id, { sessionId, signal: ends.signal });
      return { content: blob.slice(0, blob.size, BYTES) };
    };
    void read()
      .catch((error: unknown): Loaded => ({ problem: toLonghaulError(error).message }))
      .then((loaded) => !ends.signal.aborted && setState(loaded));
    return () => ends.abort();
  }, [client, sessionId, full, text]);
  return state;
}

/** The browser never shows it as a page. */
const BYTES = 'application/octet-stream';

function groupsOf(text: string): string[] {
  const lines = text.split('\n');
  return Array.from(
    { length: Math.ceil(lines.length / GROUP_LINES) },
    (_, group) => `${lines.slice(group * GROUP_LINES, (group + 1) * GROUP_LINES).join('\n')}\n`,
  );
}

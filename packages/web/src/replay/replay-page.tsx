import './replay.css';
import { toLonghaulError } from '@longhaul/protocol';
import { type DragEvent, useRef, useState } from 'react';
import { useServer } from '../data/server.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { ReplayReport } from './replay-report.tsx';

/** What became of a dropped file. */
interface Replayed {
  id: number;
  name: string;
  outcome: { state: 'running' } | { state: 'failed'; problem: string } | { state: 'done'; html: Blob };
}

const WINDOWS = [8_192, 16_384, 32_000, 64_000, 128_000, 200_000] as const;

/** Replays recorded sessions of any agent with the strategies of the engine, and shows what each would have kept. */
export function ReplayPage({ onOpenSide }: { onOpenSide: () => void }) {
  const { client } = useServer();
  const [windowTokens, setWindowTokens] = useState<number>(32_000);
  const [replayed, setReplayed] = useState<readonly Replayed[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const count = useRef(0);

  const set = (id: number, outcome: Replayed['outcome']) =>
    setReplayed((before) => before.map((one) => (one.id === id ? { ...one, outcome } : one)));

  /** One after the other: a replay takes much of the processor. */
  const replayAll = async (files: readonly File[]) => {
    const begun = files.map((file) => ({
      id: ++count.current,
      name: file.name,
      outcome: { state: 'running' } as const,
    }));
    setReplayed((before) => [...begun, ...before]);
    for (const [index, file] of files.entries()) {
      const { id } = begun[index]!;
      try {
        set(id, {
          state: 'done',
          html: await client.replay(file, { name: file.name, window: windowTokens, format: 'html' }),
        });
      } catch (error) {
        set(id, { state: 'failed', problem: toLonghaulError(error).message });
      }
    }
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void replayAll([...event.dataTransfer.files]);
  };

  return (
    <>
      <PageHeader title="Replay" onOpenSide={onOpenSide} />
      <div className="page-body replay">
        <p>
          Replay recorded sessions of Longhaul, Claude Code, Codex, OpenCode and other agents. The report
          compares what each strategy would have kept. No model is called.
        </p>
        <label>
          Window{' '}
          <select value={windowTokens} onChange={(event) => setWindowTokens(Number(event.target.value))}>
            {WINDOWS.map((tokens) => (
              <option key={tokens} value={tokens}>
                {tokens.toLocaleString('en')} tokens
              </option>
            ))}
          </select>
        </label>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same */}
        <div className="drop-place" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
          <p>Drop recorded sessions here</p>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              void replayAll([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
          <button type="button" className="button" onClick={() => picker.current?.click()}>
            Choose files…
          </button>
        </div>
        <ul className="replays" aria-live="polite">
          {replayed.map(({ id, name, outcome }) => (
            <li key={id} className="card">
              <h2>{name}</h2>
              {outcome.state === 'running' && <p className="quiet">Replaying…</p>}
              {outcome.state === 'failed' && <p className="bad">{outcome.problem}</p>}
              {outcome.state === 'done' && <ReplayReport html={outcome.html} name={name} />}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

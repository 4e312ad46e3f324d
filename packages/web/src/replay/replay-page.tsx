import './replay.css';
import { toLonghaulError } from '@longhaul/protocol';
import type { ReplayReport as Report } from '@longhaul/protocol/api';
import { type DragEvent, useRef, useState } from 'react';
import { useServer } from '../data/server.ts';
import { useAction } from '../data/use-action.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { formatCount } from '../ui/format.ts';
import { saveFile } from '../ui/save-file.ts';
import { ReplayReport } from './replay-report.tsx';

/** What became of a dropped file. */
interface Replayed {
  id: number;
  file: File;
  windows: string;
  outcome: { state: 'running' } | { state: 'failed'; problem: string } | { state: 'done'; report: Report };
}

const WINDOWS = [8_192, 16_384, 32_000, 64_000, 128_000, 200_000] as const;

/** Replays recorded sessions of any agent with the strategies of the engine, and shows what each would have kept. */
export function ReplayPage({ onOpenSide }: { onOpenSide: () => void }) {
  const { client } = useServer();
  const [windows, setWindows] = useState('32000');
  const [replayed, setReplayed] = useState<readonly Replayed[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const count = useRef(0);

  const set = (id: number, outcome: Replayed['outcome']) =>
    setReplayed((before) => before.map((one) => (one.id === id ? { ...one, outcome } : one)));

  /** One after the other: a replay takes much of the processor. */
  const replayAll = async (files: readonly File[]) => {
    const begun = files.map((file): Replayed => {
      count.current += 1;
      return { id: count.current, file, windows, outcome: { state: 'running' } };
    });
    setReplayed((before) => [...begun, ...before]);
    for (const { id, file } of begun) {
      try {
        set(id, { state: 'done', report: await client.replay(file, { name: file.name, windows }) });
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
          <select value={windows} onChange={(event) => setWindows(event.target.value)}>
            {WINDOWS.map((tokens) => (
              <option key={tokens} value={tokens}>
                {formatCount(tokens)} tokens
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
          {replayed.map((one) => (
            <ReplayedFile key={one.id} replayed={one} />
          ))}
        </ul>
      </div>
    </>
  );
}

function ReplayedFile({ replayed: { file, windows, outcome } }: { replayed: Replayed }) {
  const { client } = useServer();
  const [isSaving, save] = useAction(async () => {
    saveFile(await client.replayPage(file, { name: file.name, windows }), `${file.name}.replay.html`);
  });
  return (
    <li className="card">
      <h2>{file.name}</h2>
      {outcome.state === 'running' && <p className="quiet">Replaying…</p>}
      {outcome.state === 'failed' && <p className="bad">{outcome.problem}</p>}
      {outcome.state === 'done' && (
        <>
          <ReplayReport report={outcome.report} />
          {outcome.report.problem === undefined && (
            <button type="button" className="button small" disabled={isSaving} onClick={save}>
              {isSaving ? 'Creating the page…' : 'Download the whole report'}
            </button>
          )}
        </>
      )}
    </li>
  );
}

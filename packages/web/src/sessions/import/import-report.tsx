import './import.css';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { formatRoute, useRoute } from '../../shell/route.ts';
import { plural } from '../../ui/format.ts';
import { Modal } from '../../ui/modal.tsx';
import { describeImport, describeOutcomes, type ImportedFile } from './imports.ts';
import { useImports } from './use-imports.ts';

/** What became of the imported files, with what each import has left out. */
export function ImportReport() {
  const imports = useImports();
  const address = formatRoute(useRoute());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the event
  useEffect(() => imports.leaveReport(), [address]);
  const { running, waiting, files } = useStore(imports.store);
  const isOpen = running !== undefined || files.length > 0;
  const left = waiting + (running === undefined ? 0 : 1);
  return (
    <Modal title="Import" isOpen={isOpen} onClose={() => imports.closeReport()}>
      <p role="status">
        {running === undefined
          ? describeOutcomes(files)
          : `Importing ${running}${left > 1 ? `, ${left - 1} more after it` : ''}…`}
      </p>
      <ul className="import-files">
        {files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files can have the same name, and the list only grows
          <li key={index}>
            <Report file={file} onOpen={() => imports.closeReport()} />
          </li>
        ))}
      </ul>
    </Modal>
  );
}

function Report({ file: { name, outcome }, onOpen }: { file: ImportedFile; onOpen: () => void }) {
  if (outcome.kind === 'failed')
    return (
      <>
        <strong>{name}</strong>
        <p className="bad">Not imported: {outcome.problem}</p>
      </>
    );
  const { result } = outcome;
  return (
    <>
      <a href={formatRoute({ page: 'session', sessionId: result.sessionId })} onClick={onOpen}>
        {result.title}
      </a>
      <p className="quiet">
        {name}: {describeImport(result)}
      </p>
      {result.skipped.length > 0 && (
        <details>
          <summary>Left out: {plural(result.skipped.length, 'kind')} of content</summary>
          <ul>
            {result.skipped.map(({ where, reason, count }) => (
              <li key={`${where} ${reason}`}>
                {where}: {reason}
                {count > 1 && ` (${count} times)`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

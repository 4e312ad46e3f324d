import type { FileChange } from '@longhaul/protocol';
import { ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { DiffView } from '../conversation/tools/diff-view.tsx';
import { splitDiff } from './split-diff.ts';

const SIGNS: Record<FileChange['change'], string> = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' };

/** Changed files, each with its diff when it is opened. */
export function ChangedFiles({ files, diff = '' }: { files: readonly FileChange[]; diff?: string }) {
  const diffs = useMemo(() => new Map(splitDiff(diff).map((file) => [file.path, file])), [diff]);
  return (
    <ul className="changed-files">
      {files.map((file) => (
        <ChangedFile key={file.pathBytes ?? file.path} file={file} diff={diffs.get(file.path)} />
      ))}
    </ul>
  );
}

function ChangedFile({
  file,
  diff,
}: {
  file: FileChange;
  diff: ReturnType<typeof splitDiff>[number] | undefined;
}) {
  if (diff === undefined)
    return (
      <li className="changed-file">
        <FileLine file={file} />
      </li>
    );
  return (
    <li className="changed-file">
      <details>
        <summary>
          <ChevronRight aria-hidden size={14} className="fold-mark" />
          <FileLine file={file} />
        </summary>
        <DiffView diff={diff} />
      </details>
    </li>
  );
}

function FileLine({ file: { path, from, change, added, removed, restorable } }: { file: FileChange }) {
  return (
    <span className="file-line">
      <span className={`file-sign ${change}`} title={change}>
        <span aria-hidden>{SIGNS[change]}</span>
        <span className="only-read">{change}</span>
      </span>
      <span className="file-path">
        {from !== undefined && <span className="quiet">{from} → </span>}
        {path}
      </span>
      {added !== undefined && (
        <span className="file-counts">
          <span className="good">+{added}</span> <span className="bad">−{removed}</span>
        </span>
      )}
      {!restorable && <span className="quiet">not restorable</span>}
    </span>
  );
}

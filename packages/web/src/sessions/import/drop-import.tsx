import './import.css';
import { useEffect, useState } from 'react';
import { useImports } from './use-imports.ts';

/**
 * Imports files that are dropped anywhere on the page. Places with another use for files, such as the composer, take
 * them first.
 */
export function DropImport() {
  const imports = useImports();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const ends = new AbortController();
    const listen = (type: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void) =>
      window.addEventListener(type, listener, { signal: ends.signal });
    listen('dragover', (event) => {
      if (!hasFiles(event)) return;
      // A place that takes the files has allowed the drop.
      setOver(!event.defaultPrevented);
      event.preventDefault();
    });
    listen('dragleave', (event) => {
      // The pointer has left the window, not only one element.
      if (event.relatedTarget === null) setOver(false);
    });
    listen('drop', (event) => {
      setOver(false);
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      imports.add([...(event.dataTransfer?.files ?? [])]);
    });
    return () => ends.abort();
  }, [imports]);
  if (!isOver) return null;
  return <p className="drop-hint">Drop recorded sessions to import them</p>;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

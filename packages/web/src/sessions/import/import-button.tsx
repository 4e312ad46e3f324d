import { FileInput } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { useImports } from './use-imports.ts';

/** Chooses recorded sessions to import. They can also be dropped anywhere on the page. */
export function ImportButton() {
  const imports = useImports();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          imports.add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <IconButton
        icon={FileInput}
        label="Import recorded sessions, or drop them anywhere"
        onClick={() => picker.current?.click()}
      />
    </>
  );
}

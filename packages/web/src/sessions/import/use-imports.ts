import { createContext, use } from 'react';
import type { Imports } from './imports.ts';

export const ImportsContext = createContext<Imports | undefined>(undefined);

/** @throws Outside of `ImportsContext`. */
export function useImports(): Imports {
  const imports = use(ImportsContext);
  if (imports === undefined) throw new Error('useImports is used outside of ImportsContext.');
  return imports;
}

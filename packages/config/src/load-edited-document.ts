/** Loads the functions that change a YAML file. They need its parser, which most commands never load. */
export function loadEditedDocument(): Promise<typeof import('./edited-document.ts')> {
  return import('./edited-document.ts');
}

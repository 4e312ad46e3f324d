const IMPORTED = 'imported/';

/** Models of other agents' sessions are not ours to call: their name is kept, and a run uses the configured one. */
export function importedModel(name: string | undefined): string {
  return IMPORTED + (name ?? 'unknown');
}

/** Whether a session's model is only a name that a file held. */
export function isImportedModel(model: string): boolean {
  return model.startsWith(IMPORTED);
}

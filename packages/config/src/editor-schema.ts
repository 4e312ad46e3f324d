/** Returns the JSON Schema of `longhaul.yml`, for editors. Loads the schema library only when called. */
export async function configJsonSchema(): Promise<Record<string, unknown>> {
  return (await import('./json-schema.ts')).toEditorSchema();
}

/** What validates the responses: the module `@longhaul/protocol/api`, which contains zod. */
export type ApiSchemas = Pick<typeof import('@longhaul/protocol/api'), 'API_ROUTES'>;

/** Schemas that are loaded with the first response, which waits for them, or that arrive later. */
export type ApiSchemaSource = (() => Promise<ApiSchemas>) | Promise<ApiSchemas>;

/** Returns the schemas when they are needed. Undefined: there are none, or they have not arrived yet. */
export function schemaSource(source: ApiSchemaSource | undefined): () => Promise<ApiSchemas | undefined> {
  if (source === undefined) return async () => undefined;
  if (typeof source === 'function') {
    let loading: Promise<ApiSchemas> | undefined;
    return () => {
      loading ??= source();
      return loading;
    };
  }
  let arrived: ApiSchemas | undefined;
  source.then(
    (schemas) => {
      arrived = schemas;
    },
    (error: unknown) => console.warn('The responses of the server cannot be validated:', error),
  );
  return async () => arrived;
}

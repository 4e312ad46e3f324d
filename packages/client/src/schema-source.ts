/** What validates the responses. It takes longer to load than the rest of the client. */
export type ApiSchemas = Pick<typeof import('@longhaul/protocol/api'), 'API_ROUTES'>;

/**
 * Returns the schemas when they are needed. Without late ones, they are loaded with the first response, which waits for
 * them. Late ones are undefined until they arrive.
 */
export function schemaSource(late: Promise<ApiSchemas> | undefined): () => Promise<ApiSchemas | undefined> {
  if (late === undefined) return () => import('@longhaul/protocol/api');
  let arrived: ApiSchemas | undefined;
  late.then(
    (schemas) => {
      arrived = schemas;
    },
    (error: unknown) => console.warn('The responses of the server cannot be validated:', error),
  );
  return async () => arrived;
}

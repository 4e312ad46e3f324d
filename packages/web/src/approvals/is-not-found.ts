/** Somebody else has answered the request. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found';
}

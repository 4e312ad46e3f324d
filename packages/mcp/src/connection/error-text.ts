import { McpError } from '@modelcontextprotocol/sdk/types.js';

/** Returns the words of a server's error, without the prefix that the SDK adds. */
export function plainMessage(error: McpError): string {
  return error.message.replace(/^MCP error -?\d+: /, '');
}

/** Describes why a connection or a request has failed. */
export function messageOf(error: unknown): string {
  if (error instanceof McpError) return plainMessage(error);
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const detail = cause instanceof Error && error.message === 'fetch failed' ? ` (${cause.message})` : '';
  return `${error.message.slice(0, 2_000)}${detail}`;
}

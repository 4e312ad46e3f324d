import { plural } from '@longhaul/core/tool-output';
import { McpError } from '@modelcontextprotocol/sdk/types.js';

/** Returns the words of a server's error, without the prefix that the SDK adds. */
export function plainMessage(error: McpError): string {
  return error.message.replace(/^MCP error -?\d+: /, '');
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

const MAX_ISSUES = 3;

/** Describes in one line what is wrong with an answer, if the SDK has refused its form. Otherwise returns undefined. */
export function formProblem(error: unknown): string | undefined {
  if (!hasIssues(error)) return undefined;
  const shown = error.issues
    .slice(0, MAX_ISSUES)
    .map(
      ({ path, message }) => `${path.length === 0 ? 'the answer' : path.map(String).join('.')}: ${message}`,
    );
  const more = error.issues.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${plural(more, 'more problem')}` : ''}`.slice(0, 500);
}

function hasIssues(error: unknown): error is { issues: readonly Issue[] } {
  return typeof error === 'object' && error !== null && 'issues' in error && Array.isArray(error.issues);
}

/** Describes why a connection or a request has failed. */
export function messageOf(error: unknown): string {
  if (error instanceof McpError) return plainMessage(error);
  const problem = formProblem(error);
  if (problem !== undefined) return `it sent an answer that MCP does not allow (${problem})`;
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const detail = cause instanceof Error && error.message === 'fetch failed' ? ` (${cause.message})` : '';
  return `${error.message.slice(0, 2_000)}${detail}`;
}

import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk';
import type { AcpWorkspace } from '../acp-options.ts';

const PAGE = 50;

/** Lists the stored sessions of a workspace, or those of all folders, newest first. */
export async function listSessions(
  { store, folder }: Pick<AcpWorkspace, 'store' | 'folder'>,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const isEverywhere = cwd === undefined || cwd === null;
  const before = cursor ?? undefined;
  if (before !== undefined && (await store.getSession(before)) === undefined)
    throw RequestError.invalidParams({ cursor }, 'The cursor is not valid. List again from the start.');
  const found = await store.listSessions({
    // One more shows whether there is a next page.
    limit: PAGE + 1,
    before,
    parentId: null,
    ...(isEverywhere ? {} : { workspace: { folder } }),
  });
  const sessions = found.slice(0, PAGE).map(({ id, workspace, title, updatedAt }) => ({
    sessionId: id,
    cwd: workspace,
    title,
    updatedAt: new Date(updatedAt).toISOString(),
  }));
  return { sessions, ...(found.length > PAGE && { nextCursor: sessions.at(-1)?.sessionId }) };
}

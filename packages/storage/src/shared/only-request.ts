import { type Approval, LonghaulError } from '@longhaul/protocol';

/**
 * The request that an answer is for, of those that it may mean.
 *
 * @throws {LonghaulError} `invalid_request` where it may mean several.
 */
export function onlyRequest(requests: readonly Approval[]): Approval | undefined {
  const [request, other] = requests;
  if (request === undefined || other === undefined) return request;
  const { sessionId, callId } = request;
  throw new LonghaulError(
    'invalid_request',
    `Several calls of session ${sessionId} have the id "${callId}". Say which one is answered: give the \`handle\` of its request, which the session's list of approvals and the event \`approval:requested\` name.`,
    { data: { sessionId, callId } },
  );
}

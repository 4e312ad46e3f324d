import { type Approval, LonghaulError } from '@longhaul/protocol';

/**
 * Returns the request that an answer refers to, or undefined if there are no candidates.
 *
 * @throws {LonghaulError} `invalid_request` if there are several candidates.
 */
export function onlyRequest(requests: readonly Approval[]): Approval | undefined {
  const [request, other] = requests;
  if (request === undefined || other === undefined) return request;
  const { sessionId, callId } = request;
  throw new LonghaulError(
    'invalid_request',
    `Several calls of session ${sessionId} have the id "${callId}". Pass the \`handle\` of the request to answer; it is in the session's list of approvals and in the event \`approval:requested\`.`,
    { data: { sessionId, callId } },
  );
}

import type { Approval, EventPayload } from '@longhaul/protocol';

export function requestedEvent({ callId, handle, toolName, args }: Approval): EventPayload {
  return { type: 'approval:requested', callId, handle, toolName, args };
}

export function answeredEvent({ callId, handle, answer, reason }: Approval): EventPayload {
  const allowed = answer === 'once' || answer === 'always';
  const optional = reason === undefined ? {} : { reason };
  return { type: 'approval:answered', callId, handle, allowed, ...optional };
}

import type { Approval, EventPayload } from '@longhaul/protocol';

export function requestedEvent({ callId, toolName, args }: Approval): EventPayload {
  return { type: 'approval:requested', callId, toolName, args };
}

export function answeredEvent({ callId, answer, reason }: Approval): EventPayload {
  const allowed = answer === 'once' || answer === 'always';
  return { type: 'approval:answered', callId, allowed, ...(reason === undefined ? {} : { reason }) };
}

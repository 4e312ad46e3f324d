import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describeSwitch, type LonghaulEvent, originName } from '@longhaul/protocol';
import type { ClientFeatures } from '../client-features.ts';
import { notice } from './notice.ts';

/** Returns the update for an event that only informs a person; none for other events. */
export function noticeOf(event: LonghaulEvent, features: ClientFeatures): SessionUpdate[] {
  switch (event.type) {
    case 'llm:retry':
      return notice(features, {
        severity: 'info',
        title: `Attempt ${event.attempt} failed. The next attempt starts in ${Math.ceil(event.delayMs / 1_000)} s.`,
        description: event.reason,
      });
    case 'run:repaired':
      return notice(features, { severity: 'warning', title: event.message, isImportant: true });
    case 'context:warning':
    case 'budget:warning':
      return notice(features, { severity: 'warning', title: event.message, isImportant: true });
    case 'llm:switched':
      return notice(features, { severity: 'info', title: describeSwitch(event) });
    case 'llm:unsupported-input':
      return notice(features, { severity: 'warning', title: event.errors.join(' '), isImportant: true });
    case 'subtask:finished': {
      const { agent, state, isBackground } = event.facts;
      if (isBackground !== true) return [];
      const title = `The subtask ${event.handle} (${agent}) in the background has ended: ${state}.`;
      return notice(features, { severity: 'info', title });
    }
    case 'message:dequeued':
      return (event.origins ?? []).flatMap((origin) =>
        notice(features, { severity: 'info', title: `A message of ${originName(origin)} arrived.` }),
      );
    case 'trust:requested':
      return notice(features, {
        severity: 'warning',
        title: `Settings of longhaul.yml in ${event.workspace} are ignored, because the project is not trusted: ${event.wants.map(({ key }) => key).join(', ')}.`,
        description: 'To review and trust them, run longhaul trust in that folder.',
        isImportant: true,
      });
    default:
      return [];
  }
}

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { ClientLink } from '../client-link.ts';
import { notice } from '../updates/notice.ts';
import type { QuestionClient } from './ask-question.ts';

/** Asks over a connection. A call is shown before the question about it. */
export function questionClient(
  link: Pick<ClientLink, 'features' | 'outbox' | 'requestPermission' | 'showForm'>,
  send: (updates: readonly SessionUpdate[]) => void,
): QuestionClient {
  return {
    async request(question, signal) {
      await link.outbox.drained();
      return await link.requestPermission(question, signal);
    },
    showForm() {
      if (!link.features.showsForms) return undefined;
      return async (form, signal) => {
        await link.outbox.drained();
        return await link.showForm(form, signal);
      };
    },
    tell: (text) => send(notice(link.features, { ...text, severity: 'warning', isImportant: true })),
  };
}

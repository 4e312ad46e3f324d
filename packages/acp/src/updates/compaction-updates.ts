import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { EventOf, Summary } from '@longhaul/protocol';
import type { ClientFeatures } from '../client-features.ts';
import { textContent } from './tool-content.ts';

/**
 * Reports compactions. A client that does not know them gets a call of the kind `think`, which every client shows on
 * one line that opens.
 */
export class CompactionUpdates {
  readonly #features: Pick<ClientFeatures, 'showsCompactions'>;
  readonly #newId: () => string;
  #id: string | undefined;

  constructor(features: Pick<ClientFeatures, 'showsCompactions'>, newId: () => string) {
    this.#features = features;
    this.#newId = newId;
  }

  begin(): SessionUpdate[] {
    if (this.#id !== undefined) return [];
    const id = this.#newId();
    this.#id = id;
    if (this.#features.showsCompactions)
      return [{ sessionUpdate: 'compaction_update', compactionId: id, status: 'in_progress' }];
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: id,
        title: 'Compacting the context',
        kind: 'think',
        status: 'in_progress',
      },
    ];
  }

  done(event: EventOf<'context:compressed'>, summary: Summary | undefined): SessionUpdate[] {
    const begun = this.begin();
    const id = this.#id ?? '';
    this.#id = undefined;
    const sizes = `${tokens(event.originalTokens)} → ${tokens(event.compressedTokens)} tokens`;
    const text = [summary?.narrative, summary?.ledger]
      .filter((each) => each !== undefined && each !== '')
      .join('\n\n');
    if (this.#features.showsCompactions) {
      const { originalTokens, compressedTokens, strategy, reason, round } = event;
      return [
        ...begun,
        {
          sessionUpdate: 'compaction_update',
          compactionId: id,
          status: 'completed',
          summary: [{ type: 'text', text: text === '' ? sizes : `${sizes}\n\n${text}` }],
          _meta: { longhaul: { originalTokens, compressedTokens, strategy, reason, round } },
        },
      ];
    }
    return [
      ...begun,
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: id,
        title: `Compacted the context: ${sizes}`,
        status: 'completed',
        content: text === '' ? [] : [textContent(text)],
      },
    ];
  }

  /** Ends a compaction that changed nothing. */
  end(status: 'cancelled' | 'failed', error?: string): SessionUpdate[] {
    const id = this.#id;
    if (id === undefined) return [];
    this.#id = undefined;
    if (this.#features.showsCompactions)
      return [{ sessionUpdate: 'compaction_update', compactionId: id, status, error }];
    const content = error === undefined ? [] : [textContent(error)];
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: id,
        title: 'No compaction',
        status: 'failed',
        content,
      },
    ];
  }
}

function tokens(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1_000)}k`;
}

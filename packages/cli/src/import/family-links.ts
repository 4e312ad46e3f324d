import { newId } from '@longhaul/core';
import {
  type ChildPlace,
  handleOf,
  type Message,
  type MessageOrigin,
  originsOf,
  type Part,
  type SubtaskFacts,
  subtaskMetadata,
  subtaskOf,
} from '@longhaul/protocol';

/** The place of an imported child, below the call that has started it. */
export interface FamilyLink {
  /** Id of the imported child. */
  id: string;
  parentId: string;
  /** Recorded id of the parent. */
  parentSourceId: string;
  parentCallId: string;
  place: Pick<ChildPlace, 'handle' | 'depth'>;
  agent: string;
}

/** The session whose messages are imported. */
export interface LinkedParent {
  id: string;
  sourceId: string;
  depth: number;
}

/**
 * Gives new ids to the children that imported calls name. Such a call names no other session then, also if its child is
 * not in the file.
 */
export class FamilyLinks {
  readonly #links = new Map<string, FamilyLink>();

  get(recordedId: string): FamilyLink | undefined {
    return this.#links.get(recordedId);
  }

  /** Returns the message with the new ids of children. Its sequence must be that in the imported log. */
  relinked(message: Message, parent: LinkedParent): Message {
    const parts = message.parts.map((part, index) =>
      this.#relinkedPart(part, { handle: handleOf(message.sequence, index), parent }),
    );
    if (message.metadata?.origins === undefined) return { ...message, parts };
    const origins = originsOf(message).map((each) => this.#relinkedOrigin(each));
    return { ...message, parts, metadata: { ...message.metadata, origins } };
  }

  #relinkedPart(part: Part, { handle, parent }: { handle: string; parent: LinkedParent }): Part {
    const facts = part.type === 'tool' ? subtaskOf(part) : undefined;
    if (part.type !== 'tool' || facts === undefined) return part;
    const known = this.#links.get(facts.sessionId);
    const id = known?.id ?? newId();
    if (known === undefined)
      this.#links.set(facts.sessionId, {
        id,
        parentId: parent.id,
        parentSourceId: parent.sourceId,
        parentCallId: part.callId,
        place: { handle, depth: parent.depth + 1 },
        agent: facts.agent,
      });
    return {
      ...part,
      metadata: { ...part.metadata, ...subtaskMetadata(ended({ ...facts, sessionId: id })) },
    };
  }

  #relinkedOrigin(origin: MessageOrigin): MessageOrigin {
    if (origin.kind !== 'subtask') return origin;
    const link = this.#links.get(origin.sessionId);
    return link === undefined ? origin : { ...origin, sessionId: link.id, handle: link.place.handle };
  }
}

/** Nothing of an imported session runs. */
function ended(facts: SubtaskFacts): SubtaskFacts {
  return facts.state === 'running' || facts.state === 'waiting' ? { ...facts, state: 'interrupted' } : facts;
}

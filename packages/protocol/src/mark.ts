/** Marks are separate rows that hide parts of the log from the view. They never change the log, and can be undone. */

/** The replacement for hidden messages: facts computed from the log, and a text written by a model. */
export interface Summary {
  ledger: string;
  /** Empty if no model was called or its answer was rejected. */
  narrative: string;
  /** What the provider made of the hidden messages. Only its maker can read it; others get the ledger. */
  opaque?: OpaqueSummary;
}

/** A summary that a provider made and that is sent back unchanged. */
export interface OpaqueSummary {
  /** `@blob:` reference of the JSON array of its items. */
  blob: string;
  /** The `provider/model` that made it. */
  model: string;
  /** Its tokens in a request, as the provider reported them. */
  tokens?: number;
}

/** Replaces older messages in the view by a summary. */
export interface Compaction {
  kind: 'compaction';
  id: string;
  sessionId: string;
  /** 1, 2, 3… Undone compactions do not count. */
  round: number;
  strategy: string;
  reason: CompactionReason;
  tokensBefore: number;
  tokensAfter: number;
  summary: Summary;
  /** Ids of all messages it hides, including those hidden by earlier rounds. */
  hides: string[];
  createdAt: number;
  undoneAt?: number;
}

/** Why a compaction was made. `manual`: a person asked for it. `model`: the model did, because a phase is finished. */
export type CompactionReason = 'threshold' | 'overflow' | 'tool-results' | 'stream' | 'manual' | 'model';

/** Replaces an old tool output in the view by a placeholder. */
export interface PruneMark {
  kind: 'prune';
  id: string;
  messageId: string;
  partIndex: number;
  compactedAt: number;
  /** The compaction that this mark belongs to and is undone with. Absent if it was recorded on its own. */
  compactionId?: string;
  undoneAt?: number;
}

/** Leaves out the middle of a part that is too large. The part's handle still gives the whole. */
export interface CutMark {
  kind: 'cut';
  id: string;
  messageId: string;
  partIndex: number;
  /** Characters that stay, head and tail together. */
  keepChars: number;
  createdAt: number;
  /** The compaction that this mark belongs to and is undone with. */
  compactionId?: string;
  undoneAt?: number;
}

/** Keeps a message in view under every strategy. */
export interface PinMark {
  kind: 'pin';
  id: string;
  messageId: string;
  createdAt: number;
  undoneAt?: number;
}

/** Leaves content out of requests, because the model's server refused a request with it. */
export interface OmitMark {
  kind: 'omit';
  id: string;
  messageId: string;
  partIndex: number;
  /** `media`: images and files. `all`: the whole part; a tool call keeps its name. */
  what: 'media' | 'all';
  /** Marks with the same id were made for one refusal, and are undone together. */
  refusalId: string;
  createdAt: number;
  undoneAt?: number;
}

/**
 * Continues the conversation after an earlier message, or restores files, or both. The log keeps the messages that the
 * conversation leaves. A revert is never undone: taking one back is another revert.
 */
export interface RevertMark {
  kind: 'revert';
  id: string;
  /** Sequence of the log's last message when the mark was made. 0: the log had none. */
  at: number;
  /** Number of parts of that message. Patches after them were recorded after the revert. */
  parts?: number;
  /** The conversation continues after this message. 0: before the first. */
  to: number;
  /**
   * `createdAt` of message `to + 1`, which the conversation leaves. Marks made since then were made after it. Absent if
   * there is no such message.
   */
  branchedAt?: number;
  /** `@tree:` references of the workspace before and after. Present if files were restored. */
  treeBefore?: string;
  treeAfter?: string;
  /** Id of the revert that this one takes back. */
  undoes?: string;
  createdAt: number;
  /** Never set. */
  undoneAt?: number;
}

export type Mark = Compaction | PruneMark | CutMark | PinMark | OmitMark | RevertMark;

/** A mark on one message. */
export type MessageMark = Exclude<Mark, Compaction | RevertMark>;

export function isMessageMark(mark: Mark): mark is MessageMark {
  return mark.kind !== 'compaction' && mark.kind !== 'revert';
}

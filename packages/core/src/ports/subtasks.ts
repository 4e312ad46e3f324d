import type { SubtaskFacts } from '@longhaul/protocol';
import type { MergeOutcome } from './merged-files.ts';

/** An agent that child sessions can have. */
export interface SubtaskAgent {
  name: string;
  /** What it is for. The model reads it. */
  description: string;
  /** `provider/model`. Default: the parent's model. */
  model?: string | undefined;
}

/** How many child sessions there can be. */
export interface SubtaskSettings {
  agents: readonly SubtaskAgent[];
  /** How many children of one session run at once. The others wait. */
  atOnce: number;
  /** 1: children have no children. 0: no session has any. */
  maxDepth: number;
}

/** The child sessions of a run. */
export interface Subtasks {
  /**
   * Runs a child session until it ends, or, in the background, until it has started. Running the same call again
   * continues what an earlier process has begun, and begins nothing twice.
   *
   * @throws {LonghaulError} `interrupted`: the program stops, and the call must stay open; `invalid_request`,
   * `unknown_agent`, and errors of the model's driver if the child cannot start.
   */
  run(request: SubtaskRequest, call: SubtaskCall): Promise<SubtaskOutcome>;
  /**
   * Merges the files of a child that worked in a copy. The same call gets the same outcome again.
   *
   * @throws {LonghaulError} `not_found` if there is no copy; `invalid_request` if the child still runs.
   */
  merge(request: CopyMergeRequest): Promise<CopyMerge>;
  /** Removes the copy in which a child worked. Throws as `merge`. */
  discard(handle: string): Promise<void>;
}

/** A child session whose files are merged into the workspace, and what happens to conflicts. */
export interface CopyMergeRequest {
  /** Of the call that started the child. */
  handle: string;
  conflicts: 'refuse' | 'markers';
}

/** The result of merging the files of a child session. */
export interface CopyMerge extends MergeOutcome {
  /** Nothing is left in the copy, which was removed. */
  isWhole: boolean;
}

/** What a child has changed in its copy of the files. */
export interface OwnFiles {
  isChanged: boolean;
  /** A list and a patch. */
  text: string;
}

/** A task for a child session. */
export interface SubtaskRequest {
  prompt: string;
  /** Default: the first of the agents. */
  agent?: string | undefined;
  /** `provider/model`. Default: that of the agent. */
  model?: string | undefined;
  isBackground: boolean;
  /** `own`: the child works in a copy of the files. */
  files: 'shared' | 'own';
}

/** The call that waits for a child session. */
export interface SubtaskCall {
  signal: AbortSignal;
  /** Called as the child advances. */
  progress: (facts: SubtaskFacts) => void;
}

/** What the parent gets from a child. */
export interface SubtaskOutcome {
  facts: SubtaskFacts;
  /** The child's final answer, or its last text. */
  text: string;
  /** Why it did not complete. */
  problem?: string | undefined;
  /** The files that it changed, such as `added src/a.ts`. */
  files: readonly string[];
  /** The commands whose last run failed, such as `npm test: exit code 1`. */
  failedCommands: readonly string[];
  /** Undefined: it worked in the parent's files. */
  ownFiles?: OwnFiles | undefined;
}

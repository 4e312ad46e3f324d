import {
  ACCESS_KEY,
  GIT_START_KEY,
  type GitStart,
  type JsonObject,
  type Session,
  WORKSPACE_SOURCE_KEY,
  type WorkspaceSource,
  workspaceSourceMetadata,
} from '@longhaul/protocol';
import type { NewSession } from '../ports/index.ts';
import { newId } from './ids.ts';
import { copyTitle } from './title/copy-title.ts';

/** What a copy of a session contains, and where it works. */
export interface ForkSessionOptions {
  /** Sequence of the last message of the copy. Default: the last one. */
  at?: number | undefined;
  title?: string | undefined;
  /** The copy's workspace. Default: that of the source. */
  place?: ForkPlace | undefined;
}

/** The workspace in which a copy of a session works. */
export interface ForkPlace {
  /** Absolute path. */
  workspace: string;
  /** Where its repository is. Undefined: it has none. */
  git: GitStart | undefined;
}

/** The folder of a copy that moves between machines, like its source. */
export interface MovingPlace {
  /** The copy's id. */
  id: string;
  workspace: string;
  source: WorkspaceSource;
}

/**
 * Drafts a session that begins with a copy of another one's log. It belongs to the admin and is not shared, unless the
 * caller says otherwise afterwards.
 */
export function draftFork(
  { updatedAt: _updatedAt, status: _status, parentId: _parent, parentCallId: _call, ...source }: Session,
  { at, title, place }: ForkSessionOptions,
  moving?: MovingPlace,
): NewSession {
  const { [ACCESS_KEY]: _access, [WORKSPACE_SOURCE_KEY]: _source, ...metadata } = source.metadata ?? {};
  return {
    ...source,
    id: moving?.id ?? newId(),
    createdAt: Date.now(),
    title: title ?? copyTitle(source.title),
    workspace: place?.workspace ?? moving?.workspace ?? source.workspace,
    metadata: {
      ...(place === undefined ? metadata : withGit(metadata, place.git)),
      ...(moving !== undefined && workspaceSourceMetadata(moving.source)),
      forkedFrom: { sessionId: source.id, ...(at !== undefined && { at }) },
    },
  };
}

function withGit(metadata: JsonObject, git: GitStart | undefined): JsonObject {
  const { [GIT_START_KEY]: _left, ...rest } = metadata;
  return git === undefined ? rest : { ...rest, [GIT_START_KEY]: { ...git } };
}

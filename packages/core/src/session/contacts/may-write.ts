import { accessOf, matchesPattern, type Session } from '@longhaul/protocol';

/** Which sessions may write to which. */
export interface TalkSettings {
  /** Patterns of the sessions that may be written to. See `mayWrite`. Empty: none. */
  patterns: readonly string[];
  /** Returns the name of a session's agent. */
  agentOf: (session: Session) => string;
}

/**
 * Whether a session may write to another. A pattern matches the title or the agent of sessions in the same workspace.
 * A session of another workspace must be named: by its whole id, or by a pattern of its workspace, which begins with /.
 * A session of another owner must be shared for work, whatever the patterns are.
 */
export function mayWrite(sender: Session, receiver: Session, { patterns, agentOf }: TalkSettings): boolean {
  if (sender.id === receiver.id) return false;
  const { owner, shared } = accessOf(receiver);
  if (shared !== 'work' && owner !== accessOf(sender).owner) return false;
  const isNear = sender.workspace === receiver.workspace;
  return patterns.some((pattern) => {
    if (pattern === receiver.id) return true;
    // The children of a session are its own affair.
    if (receiver.parentId !== undefined) return false;
    if (pattern.startsWith('/')) return matchesPattern(pattern, receiver.workspace);
    return isNear && [receiver.title, agentOf(receiver)].some((name) => matchesPattern(pattern, name));
  });
}

import { agentNameOf } from '@longhaul/config';
import {
  type ChildrenSpent,
  childrenOf,
  type SessionSpent,
  type SessionState,
  type Store,
  sessionState,
  spentBy,
  spentByChildren,
} from '@longhaul/core';
import { childPlaceOf, type Session } from '@longhaul/protocol';

/** A session that another one has started. */
export interface ShownChild {
  id: string;
  title: string;
  state: SessionState;
  agent: string;
  /** The call that has started it. */
  handle: string | undefined;
  spent: SessionSpent;
}

/** What a session shows of its family. */
export interface ShownFamily {
  /** The session that has started this one. Undefined: it is no child. `title`: undefined if it is deleted. */
  parent: { id: string; title: string | undefined; handle: string | undefined } | undefined;
  /** Oldest first. */
  children: readonly ShownChild[];
  /** Without the children. */
  spent: SessionSpent;
  /** What all descendants have used. Undefined: there are none. */
  spentByChildren: ChildrenSpent | undefined;
}

/** Reads the family of a session: its parent, its children, and what each has used. */
export async function readFamily(store: Store, session: Session): Promise<ShownFamily> {
  const children = await childrenOf(store, session.id);
  return {
    parent: await parentOf(store, session),
    children: await Promise.all(children.map((child) => readChild(store, child))),
    spent: await spentBy(store, session.id),
    spentByChildren: children.length === 0 ? undefined : await spentByChildren(store, session.id),
  };
}

async function parentOf(store: Store, session: Session): Promise<ShownFamily['parent']> {
  if (session.parentId === undefined) return undefined;
  const parent = await store.getSession(session.parentId);
  return { id: session.parentId, title: parent?.title, handle: childPlaceOf(session)?.handle };
}

async function readChild(store: Store, child: Session): Promise<ShownChild> {
  const [state, spent] = await Promise.all([sessionState(store, child), spentBy(store, child.id)]);
  const { id, title } = child;
  return { id, title, state, agent: agentNameOf(child), handle: childPlaceOf(child)?.handle, spent };
}

import type { TokenScope } from '@longhaul/protocol';
import type { ApiRoutes, OperationName } from '@longhaul/protocol/api';
import type { SessionNeed } from './access.ts';

export interface OperationAccess {
  /** The least scope that may call the operation. */
  scope: TokenScope;
  /**
   * What the operation does with the session that the request names. `filtered`: its handler leaves out, or refuses,
   * sessions that the caller may not use. Absent: it concerns no session.
   */
  session?: SessionNeed | 'filtered';
}

const SEE: OperationAccess = { scope: 'read', session: 'see' };
const WORK: OperationAccess = { scope: 'work', session: 'work' };
const OWN: OperationAccess = { scope: 'work', session: 'own' };
const LISTED: OperationAccess = { scope: 'read', session: 'filtered' };
const NEW: OperationAccess = { scope: 'work' };
const SENT: OperationAccess = { scope: 'work', session: 'filtered' };
const READ: OperationAccess = { scope: 'read' };
const ADMINS: OperationAccess = { scope: 'admin' };

/** The operations that need a token. */
export type ProtectedOperation = {
  [Name in OperationName]: ApiRoutes[Name] extends { isPublic: true } ? never : Name;
}[OperationName];

/** Who may call each operation of the API. An operation without an entry does not compile. */
export const OPERATION_ACCESS: Readonly<Record<ProtectedOperation, OperationAccess>> = {
  createSession: NEW,
  listSessions: LISTED,
  getSession: SEE,
  updateSession: WORK,
  deleteSession: OWN,
  restoreSession: OWN,
  forkSession: { scope: 'work', session: 'see' },
  search: LISTED,
  sendMessage: WORK,
  postMessage: WORK,
  listMessages: SEE,
  cancel: WORK,
  resume: WORK,
  listQueue: SEE,
  clearQueue: WORK,
  listSessionQueue: SEE,
  clearSessionQueue: WORK,
  editQueued: WORK,
  moveQueued: WORK,
  sendQueued: WORK,
  removeQueued: WORK,
  getContext: SEE,
  listSteps: SEE,
  listCompactions: SEE,
  getCompaction: SEE,
  compact: WORK,
  undo: WORK,
  pin: WORK,
  unpin: WORK,
  getDiff: SEE,
  listFiles: SEE,
  readFile: SEE,
  revert: WORK,
  unrevert: WORK,
  getTree: SEE,
  sessionEvents: SEE,
  allEvents: LISTED,
  listOpenApprovals: LISTED,
  listApprovals: SEE,
  answerApproval: WORK,
  chat: SENT,
  chatMessages: LISTED,
  chatStream: LISTED,
  listAgentModels: READ,
  getAgentModel: READ,
  chatCompletion: SENT,
  exportSession: SEE,
  importSession: NEW,
  getBlob: LISTED,
  getTrust: READ,
  answerTrust: ADMINS,
  listSkills: READ,
  listMcpServers: LISTED,
  listMcpOffers: SEE,
  replay: NEW,
  listAgents: READ,
  listModels: READ,
  listProviders: READ,
  listWorkspaces: READ,
  getConfig: ADMINS,
  getUsage: LISTED,
  getSettings: READ,
  putSettings: ADMINS,
  metrics: READ,
  openapi: READ,
};

/** Undefined: the operation is public. */
export function operationAccess(name: OperationName): OperationAccess | undefined {
  const all: Partial<Record<OperationName, OperationAccess>> = OPERATION_ACCESS;
  return all[name];
}

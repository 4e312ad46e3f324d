export { type ClusterFacts, examineCluster } from './examine-cluster.ts';
export { type DispatcherOptions, type JobDispatcher, openDispatcher } from './open-dispatcher.ts';
export type { KnownServer } from './server-name.ts';

export { findCopy } from './copy/workspace-copies.ts';
export { createFileTrees, type FileTreesOptions } from './file-trees.ts';
export type { FilesSettings } from './files-settings.ts';
export type { PackBlobs } from './format/pack-source.ts';
export { checkTree, type TreeCheck } from './maintenance/check-tree.ts';
export { isPack } from './maintenance/is-pack.ts';
export { type PackCensus, packsOf } from './maintenance/packs-of.ts';
export {
  createMovingWorkspaces,
  isMovingWorkspace,
  type MovingWorkspacesOptions,
} from './moving/moving-workspaces.ts';
export type { FilesStep } from './record/workspace-recorder.ts';

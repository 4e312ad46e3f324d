export { createFileTrees, type FileTreesOptions } from './file-trees.ts';
export type { FilesSettings } from './files-settings.ts';
export type { FilesStep } from './record/workspace-recorder.ts';
